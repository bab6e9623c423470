/**
 * The headers of a modern request repeat what its body says, so that proxies can route and
 * filter without reading bodies. Prevents filter evasion (CWE-436): a request whose headers and body
 * disagree is refused.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { HEADER_MISMATCH, isObject, RpcError } from './jsonrpc.ts';
import type { Schema } from './schema.ts';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const PREFIX = '=?base64?';
const SUFFIX = '?=';

/** An argument that a tool's schema marks with `x-mcp-header`, and the header that repeats it. */
export interface MirroredArgument {
  readonly argument: string;
  readonly header: string;
}

/** Refuses a request whose header is missing or differs from what the body says. */
export function requireHeader(headers: IncomingHttpHeaders, name: string, body: string): void {
  const value = decodeHeader(name, headerText(headers[name.toLowerCase()]));
  if (value === body) return;
  const problem = value === undefined ? 'is required' : 'does not equal the body';
  throw mismatch(`the ${name} header ${problem}`);
}

export function mirroredArguments(inputSchema: Schema): readonly MirroredArgument[] {
  return Object.entries(inputSchema.properties ?? {}).flatMap(([argument, schema]) => {
    const { 'x-mcp-header': header } = schema as { readonly 'x-mcp-header'?: unknown };
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
    if (value === undefined || typeof value === 'object') continue;
    requireHeader(headers, header, String(value));
  }
}

/** `=?base64?…?=` carries what a header could not hold as it is. */
function decodeHeader(name: string, value: string | undefined): string | undefined {
  if (value === undefined || !value.startsWith(PREFIX) || !value.endsWith(SUFFIX)) return value;
  const base64 = value.slice(PREFIX.length, -SUFFIX.length);
  if (!BASE64.test(base64)) throw mismatch(`the ${name} header is not valid base64`);
  return Buffer.from(base64, 'base64').toString('utf8');
}

export function headerText(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

export function mismatch(message: string): RpcError {
  return new RpcError(HEADER_MISMATCH, message, { status: 400 });
}
