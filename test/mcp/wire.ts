/** Raw HTTP for black-box tests: nothing between the test and the bytes. */
import { once } from 'node:events';
import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

export const TOKEN = { authorization: 'Bearer alice-token' };
export const JSON_TYPE = { 'content-type': 'application/json' };

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what each test asserts.
  readonly json: any;
}

export interface Options {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly agent?: Agent;
}

/** An open response whose body is still to come. */
export async function open(url: string, body: unknown, options: Options = {}) {
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
  const outgoing = request(url, {
    method: options.method ?? 'POST',
    headers: {
      ...TOKEN,
      ...(body === undefined ? {} : JSON_TYPE),
      ...(options.headers?.['transfer-encoding'] === undefined && {
        'content-length': String(Buffer.byteLength(text)),
      }),
      ...options.headers,
    },
    ...(options.agent && { agent: options.agent }),
  });
  // A server that refuses early closes while we still write; the answer is what counts.
  outgoing.on('error', () => {});
  outgoing.end(text);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { outgoing, incoming };
}

export async function send(url: string, body: unknown, options: Options = {}): Promise<Answer> {
  const { incoming } = await open(url, body, options);
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const isJson = incoming.headers['content-type']?.startsWith('application/json') ?? false;
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}

/** Comments and messages of a stream, in the order in which they arrive. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is what each test asserts.
export type StreamItem = { readonly comment: string } | { readonly message: any };

export async function* items(incoming: IncomingMessage): AsyncGenerator<StreamItem, void> {
  let rest: string[] = [];
  for await (const chunk of incoming.setEncoding('utf8')) {
    rest.push(chunk);
    if (!chunk.includes('\n')) continue;
    const blocks = rest.join('').split('\n\n');
    rest = blocks.splice(-1);
    for (const block of blocks) {
      if (block.startsWith(': ')) yield { comment: block.slice(2) };
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data !== undefined) yield { message: JSON.parse(data) };
    }
  }
}

/** The messages of a stream without its comments. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is what each test asserts.
export async function* messages(incoming: IncomingMessage): AsyncGenerator<any, void> {
  for await (const item of items(incoming)) if ('message' in item) yield item.message;
}

export async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of source) found.push(item);
  return found;
}

export function rpc(method: string, params?: object, id: string | number = 1): object {
  return { jsonrpc: '2.0', id, method, params };
}

export function toolCall(name: string, args: object = {}, meta?: object): object {
  return rpc('tools/call', { name, arguments: args, _meta: meta });
}

export const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

export function modern(method: string, params: Record<string, unknown> = {}) {
  const name = params.name ?? params.uri;
  return {
    body: rpc(method, { ...params, _meta: { ...MODERN_META, ...(params._meta as object) } }),
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    } as Record<string, string>,
  };
}

export async function sendModern(url: string, method: string, params?: Record<string, unknown>) {
  const { body, headers } = modern(method, params);
  return send(url, body, { headers });
}

/** Opens a legacy session and gives the header that names it. */
export async function initialize(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ 'mcp-session-id': string }> {
  const answer = await send(url, INITIALIZE, { headers });
  return { 'mcp-session-id': answer.headers['mcp-session-id'] as string };
}

export const INITIALIZE = rpc('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});
