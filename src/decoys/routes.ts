/**
 * The standalone decoys server: the decoys, and a plain 404 for everything else.
 *
 * Prevents fingerprinting: it uses Node's HTTP server directly, so that no framework is recognisable
 * by a path, a method or a malformed request, and names no software.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limitConnections } from '../core/http/connection-limit.ts';
import { createServer, STATUS_CODES } from '../core/http/node-http.ts';
import {
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_MS,
  MAX_HEADER_BYTES,
  REQUEST_TIMEOUT_MS,
  TIMEOUT_CHECK_MS,
} from '../core/http/server.ts';
import { headerValue } from './detect/header-value.ts';
import { TEXT_TYPE } from './kit/answer.ts';
import { Trap, type TrapOptions } from './trap.ts';

/** Sent through a response or directly to a socket. */
interface Refusal {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: string;
}

const NO_SNIFFING = ['X-Content-Type-Options', 'nosniff'];
const NOT_FOUND = refusal(404, '404 page not found\n', NO_SNIFFING);
const BAD_REQUEST = refusal(400);
const REQUEST_TIMEOUT = refusal(408);
const HEADERS_TOO_LARGE = refusal(431);
/** A request in all but its method, which nobody knows. */
const UNKNOWN_METHOD = /^[A-Z][A-Z-]* [^\s]+ HTTP\/1\.[01]\r?\n/;

export interface DecoyServerOptions extends Omit<TrapOptions, 'site'> {
  /** Shorter in tests of slow clients. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
}

export interface DecoyServer extends Server {
  readonly trap: Trap;
}

export function createDecoyServer(options: DecoyServerOptions): DecoyServer {
  const trap = new Trap({ ...options, site: 'decoys' });
  const server = createServer({
    headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
    requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Node's refusal would look different, and precede the detector.
    requireHostHeader: false,
  });
  limitConnections(server, options.isTrustedProxy);
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    trap.lookAt(request);
    if (lacksHost(request)) {
      response.shouldKeepAlive = false;
      refuse(response, BAD_REQUEST);
      return;
    }
    hideRuntime(request, response);
    const notFound = () => refuse(response, NOT_FOUND);
    trap.answer({ request, response, claim: () => {}, notFound });
  };
  server.on('request', answer);
  server.on('checkExpectation', answer);
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // Node no longer handles errors and timeouts of this socket.
    socket.on('error', () => socket.destroy());
    trap.lookAt(request);
    socket.write(bytesOf(lacksHost(request) ? BAD_REQUEST : NOT_FOUND));
    socket.destroySoon();
  });
  server.on('clientError', refuseBytes);
  return Object.assign(server, { trap });
}

/** Lets running answers finish for up to `graceMs`; whatever takes longer is cut. */
export async function drain(server: DecoyServer, graceMs: number): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeIdleConnections();
  });
  clearTimeout(cut);
  await server.trap.close();
}

/**
 * In HTTP/1.1 a connection is kept unless somebody says otherwise (RFC 9112, section 9.3). Node
 * says so all the same, and for how long, which no server does that sends a 404 such as ours.
 */
function hideRuntime({ httpVersion }: IncomingMessage, response: ServerResponse): void {
  if (httpVersion === '1.1' && response.shouldKeepAlive) response.removeHeader('Connection');
}

/** RFC 9112, section 3.2. */
function lacksHost({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headerValue(rawHeaders, 'host') === undefined;
}

function refuse(response: ServerResponse, { status, headers, body }: Refusal): void {
  response.writeHead(status, [...headers]);
  response.end(body);
}

function refuseBytes(error: Error & { code?: string; rawPacket?: Buffer }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(bytesOf(refusalOf(error)));
}

function refusalOf(error: { code?: string; rawPacket?: Buffer }): Refusal {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return REQUEST_TIMEOUT;
    case 'HPE_HEADER_OVERFLOW':
      return HEADERS_TOO_LARGE;
    case 'HPE_INVALID_METHOD':
      return UNKNOWN_METHOD.test(error.rawPacket?.toString('latin1') ?? '')
        ? NOT_FOUND
        : BAD_REQUEST;
    default:
      return BAD_REQUEST;
  }
}

function refusal(
  status: number,
  body = `${status} ${STATUS_CODES[status]}`,
  further: readonly string[] = [],
): Refusal {
  const length = ['Content-Length', String(body.length)];
  return { status, headers: ['Content-Type', TEXT_TYPE, ...further, ...length], body };
}

/** As Node would send it on a connection that ends. */
function bytesOf({ status, headers, body }: Refusal): string {
  const all = [...headers, 'Date', new Date().toUTCString(), 'Connection', 'close'];
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
  for (let at = 0; at < all.length; at += 2) lines.push(`${all[at]}: ${all[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
