/**
 * JSON-RPC 2.0 as MCP uses it: messages, errors, and how answers are written.
 *
 * Prevents denial of service by JSON that is cheap to send and expensive to process (CWE-400): deep
 * nesting costs memory in the parser and overflows the stack of what walks it, and hundreds of
 * thousands of members keep the schema check busy for seconds. Both are counted before parsing.
 */
import { isUtf8 } from 'node:buffer';
import { enclose, type JsonText } from './json-text.ts';

export type RequestId = string | number;
export type Params = Readonly<Record<string, unknown>>;

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** The code that MCP uses for refusals by HTTP. */
export const BUSY = -32000;
export const SESSION_NOT_FOUND = -32001;
export const RESOURCE_NOT_FOUND = -32002;
export const HEADER_MISMATCH = -32020;
export const MISSING_CLIENT_CAPABILITY = -32021;
export const UNSUPPORTED_VERSION = -32022;

export const MAX_DEPTH = 128;
export const MAX_MEMBERS = 10_000;

/** A JSON-RPC error with the HTTP status it travels under. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  readonly status: number;
  readonly retryAfterS: number | undefined;

  constructor(
    code: number,
    message: string,
    options: { data?: unknown; status?: number; retryAfterS?: number } = {},
  ) {
    super(message);
    this.code = code;
    this.data = options.data;
    this.status = options.status ?? 200;
    this.retryAfterS = options.retryAfterS;
  }
}

/** Refuses a whole request, with the status 400. */
export function invalidRequest(message: string): RpcError {
  return new RpcError(INVALID_REQUEST, message, { status: 400 });
}

/** A parsed body or batch element, before anything about it is known. */
export interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}
export interface Request extends Message {
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Params | null;
}
export interface Notification extends Message {
  readonly method: string;
  readonly params?: Params | null;
}

/** Refuses invalid UTF-8, which would be decoded, and stored, as other characters. */
export function bodyText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new RpcError(PARSE_ERROR, 'the body is not valid UTF-8', { status: 400 });
}

/** Parses a request body; throws for invalid JSON, and for too deep or too many members. */
export function parseBody(text: string): unknown {
  const excess = excessOf(text);
  if (excess !== undefined) throw invalidRequest(excess);
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcError(PARSE_ERROR, 'the body is not valid JSON', { status: 400 });
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * What kind of message a value is, or the reason why it is none. An id is a string or an
 * integer that survives a round trip through JSON, because it is echoed exactly.
 */
export function kindOf(
  value: unknown,
): 'request' | 'notification' | 'response' | { readonly invalid: string } {
  if (!isObject(value)) return { invalid: 'a message must be a JSON object' };
  const message = value as Message;
  if (message.jsonrpc !== '2.0') return { invalid: '`jsonrpc` must be "2.0"' };
  if (message.id !== undefined && !isRequestId(message.id)) {
    return { invalid: '`id` must be a string or an integer' };
  }
  if (message.method === undefined) {
    if (message.id !== undefined && ('result' in message || 'error' in message)) return 'response';
    return { invalid: '`method` is required' };
  }
  if (typeof message.method !== 'string') return { invalid: '`method` must be a string' };
  if (message.params !== undefined && message.params !== null && !isObject(message.params)) {
    return { invalid: '`params` must be an object' };
  }
  return message.id === undefined ? 'notification' : 'request';
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** The id to answer with when the message itself is invalid. */
export function idOf(value: unknown): RequestId | null {
  const id = isObject(value) ? value.id : undefined;
  return isRequestId(id) ? id : null;
}

/** `members` are the members of the result object, already serialised. */
export function resultText<T extends JsonText>(id: RequestId, members: T): T {
  return enclose(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{`, members, '}}') as T;
}

export function errorText(id: RequestId | null, error: RpcError): string {
  const { code, message, data } = error;
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What is excessive about the JSON, if anything. Most texts are too short to need a scan. */
function excessOf(text: string): string | undefined {
  if (text.length <= MAX_MEMBERS && hasFew('{', text) && hasFew('[', text)) return undefined;
  let depth = 0;
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x5b:
      case 0x7b:
        if (++depth > MAX_DEPTH) return `JSON is nested deeper than ${MAX_DEPTH} levels`;
        break;
      case 0x5d:
      case 0x7d:
        depth--;
        break;
      case 0x2c:
        if (++members > MAX_MEMBERS) return `JSON has more than ${MAX_MEMBERS} members; split it`;
        break;
      case QUOTE:
        at = endOfString(text, at + 1);
        break;
    }
  }
  return undefined;
}

/** Whether a bracket is so rare that nesting stays within the limit, with as many of the other kind. */
function hasFew(bracket: string, text: string): boolean {
  let at = -1;
  for (let count = 0; count <= MAX_DEPTH / 2; count++) {
    at = text.indexOf(bracket, at + 1);
    if (at < 0) return true;
  }
  return false;
}

/** The position of the closing quote, or of the end of an unfinished string. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}
