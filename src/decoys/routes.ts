/**
 * The decoys standing alone: the decoys, and one plain 404 for everything else. Like many a
 * server it names no software, and what is no HTTP is refused as plainly as an unknown path is.
 *
 * There is nothing to route, so this is Node's own server: no framework can show through, by
 * path, by method or by malformed request.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limitConnections } from '../core/connection-limit.ts';
import {
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_MS,
  MAX_HEADER_BYTES,
  REQUEST_TIMEOUT_MS,
  TIMEOUT_CHECK_MS,
} from '../core/server.ts';
import { TEXT_TYPE } from './answer.ts';
import { Trap, type TrapOptions } from './trap.ts';

const NOT_FOUND = '404 page not found\n';
const NOT_FOUND_HEADERS = [
  ...['Content-Type', TEXT_TYPE],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Content-Length', String(NOT_FOUND.length)],
];
/** A request in all but its method, which nobody knows. */
const UNKNOWN_METHOD = /^[A-Z][A-Z-]* [^\s]+ HTTP\/1\.[01]\r?\n/;

export interface DecoyServerOptions extends Omit<TrapOptions, 'site'> {
  /** Shorter in tests of slow clients. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
}

export function createDecoyServer(options: DecoyServerOptions): Server {
  const trap = new Trap({ ...options, site: 'decoys' });
  const server = createServer({
    headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
    requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  limitConnections(server, options.isTrustedProxy);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const notFound = () => {
      response.writeHead(404, NOT_FOUND_HEADERS);
      response.end(NOT_FOUND);
    };
    trap.lookAt(request);
    if (!trap.answer(request, () => response, notFound)) notFound();
  });
  server.on('clientError', refuseBytes);
  server.on('close', () => trap.close());
  return server;
}

/** Lets running answers finish for up to `graceMs`; whatever takes longer is cut. */
export async function drain(server: Server, graceMs: number): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeIdleConnections();
  });
  clearTimeout(cut);
}

function refuseBytes(error: Error & { code?: string; rawPacket?: Buffer }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, body] = refusal(error);
  const lines = [
    `HTTP/1.1 ${status}`,
    `Content-Type: ${TEXT_TYPE}`,
    `Content-Length: ${body.length}`,
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function refusal(error: { code?: string; rawPacket?: Buffer }): [status: string, body: string] {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return plain('408 Request Timeout');
    case 'HPE_HEADER_OVERFLOW':
      return plain('431 Request Header Fields Too Large');
    case 'HPE_INVALID_METHOD':
      return UNKNOWN_METHOD.test(error.rawPacket?.toString('latin1') ?? '')
        ? ['404 Not Found', NOT_FOUND]
        : plain('400 Bad Request');
    default:
      return plain('400 Bad Request');
  }
}

function plain(status: string): [string, string] {
  return [status, status];
}
