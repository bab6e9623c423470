/** Sends an answer as the server that it comes from does. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { STATUS_CODES } from '../core/http/node-http.ts';
import { type ClaimedServer, headOf, type Persistence } from './claimed-server/claimed-server.ts';

export interface Sent {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
  /** Whether each character of the body is one byte. */
  readonly isBinary?: boolean;
}

/** Without a claimed server, header names are in lower case, as Fastify sends its own. */
export function send(answer: Sent, response: ServerResponse, claimed?: ClaimedServer): void {
  const { body, isBinary } = answer;
  const size = isBinary ? body.length : Buffer.byteLength(body);
  const isFirst = claimed?.oldVersion === '1.0' && response.req?.httpVersion === '1.0';
  const encoding = size === body.length ? 'latin1' : 'utf8';
  if (claimed && isFirst && !response.shouldKeepAlive) {
    const { status } = answer;
    const head = headOf(
      `HTTP/1.0 ${status} ${STATUS_CODES[status]}`,
      headersOf(answer, size, response, claimed),
    );
    // Node knows no HTTP/1.0 in its status lines.
    const text = response.req.method === 'HEAD' ? '' : body;
    response.socket?.end(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(text, encoding)]));
    return;
  }
  writeHead(answer, response, size, claimed);
  response.end(body, encoding);
}

/** The head alone; what follows has no length. */
export function sendHead(answer: Sent, response: ServerResponse, claimed?: ClaimedServer): void {
  writeHead(answer, response, undefined, claimed);
  response.flushHeaders();
}

function writeHead(
  answer: Sent,
  response: ServerResponse,
  size: number | undefined,
  claimed: ClaimedServer | undefined,
): void {
  if (claimed) {
    response.sendDate = false;
    hideRuntime(response);
  }
  response.writeHead(answer.status, headersOf(answer, size, response, claimed));
}

function headersOf(
  { status, headers }: Sent,
  size: number | undefined,
  response: ServerResponse,
  claimed: ClaimedServer | undefined,
): string[] {
  const length = status === 304 ? undefined : size;
  if (claimed) return claimed.layout(headers, length, persistenceOf(response));
  const all = length === undefined ? headers : [...headers, 'Content-Length', String(length)];
  return all.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text));
}

function persistenceOf({ req, shouldKeepAlive }: ServerResponse): Persistence {
  const isOld = (req as IncomingMessage | undefined)?.httpVersion === '1.0';
  if (shouldKeepAlive) return isOld ? 'kept-old' : 'kept';
  return isOld ? 'closed-old' : 'closed';
}

/**
 * In HTTP/1.1 a connection is kept unless somebody says otherwise (RFC 9112, section 9.3). Node
 * says so all the same, and for how long, which no server does that the decoys claim to be.
 */
function hideRuntime(response: ServerResponse): void {
  if (response.shouldKeepAlive) response.removeHeader('Connection');
}
