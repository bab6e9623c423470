/**
 * The headers of a modern request repeat what its body says, so that proxies can route and
 * filter without reading bodies. A request whose headers and body disagree would be judged
 * as one thing and served as another: it is refused.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { HEADER_MISMATCH, isObject, type Params, type Request, RpcError } from './jsonrpc.ts';
import type { Schema } from './schema.ts';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const PREFIX = '=?base64?';
const SUFFIX = '?=';

/** An argument that a tool's schema marks with `x-mcp-header`, and the header that repeats it. */
export interface MirroredArgument {
  readonly argument: string;
  readonly header: string;
}

export function checkMethodHeader(headers: IncomingHttpHeaders, request: Request): void {
  const method = decodeHeader('Mcp-Method', textOf(headers['mcp-method']));
  requireEqual('Mcp-Method', method, request.method);
}

/** For the methods that name a tool, a prompt or a resource. */
export function checkNameHeader(
  headers: IncomingHttpHeaders,
  params: Params,
  named: 'name' | 'uri',
): void {
  const name = params[named];
  if (typeof name !== 'string') return;
  requireEqual('Mcp-Name', decodeHeader('Mcp-Name', textOf(headers['mcp-name'])), name);
}

export function mirroredArguments(inputSchema: Schema): readonly MirroredArgument[] {
  const properties = 'properties' in inputSchema ? inputSchema.properties : undefined;
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([argument, schema]) => {
    const header = isObject(schema) ? schema['x-mcp-header'] : undefined;
    return typeof header === 'string' ? [{ argument, header: `Mcp-Param-${header}` }] : [];
  });
}

export function checkMirroredArguments(
  headers: IncomingHttpHeaders,
  args: unknown,
  mirrored: readonly MirroredArgument[],
): void {
  for (const { argument, header } of mirrored) {
    const value = isObject(args) ? args[argument] : undefined;
    if (value === undefined || value === null || typeof value === 'object') continue;
    requireEqual(
      header,
      decodeHeader(header, textOf(headers[header.toLowerCase()])),
      String(value),
    );
  }
}

/** `=?base64?…?=` carries what a header could not hold as it is. */
function decodeHeader(name: string, value: string | undefined): string | undefined {
  if (value === undefined || !value.startsWith(PREFIX) || !value.endsWith(SUFFIX)) return value;
  const base64 = value.slice(PREFIX.length, -SUFFIX.length);
  if (!BASE64.test(base64)) throw mismatch(`the ${name} header is not valid base64`);
  return Buffer.from(base64, 'base64').toString('utf8');
}

function requireEqual(name: string, header: string | undefined, body: string): void {
  if (header === body) return;
  throw mismatch(
    header === undefined
      ? `the ${name} header is required`
      : `the ${name} header does not equal the body`,
  );
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

export function mismatch(message: string): RpcError {
  return new RpcError(HEADER_MISMATCH, message, { status: 400 });
}
