/** The answers to errors of the client, all in one format. */
import type { Socket } from 'node:net';
import type { ConnectionError, FastifyError, FastifyReply } from 'fastify';
import { STATUS_CODES } from './node-http.ts';

export function sendClientError(reply: FastifyReply, error: FastifyError): FastifyReply {
  const status = error.statusCode ?? 400;
  return reply.code(status).send({ error: errorCode(status), message: error.message });
}

/** Answers invalid HTTP, and requests that are too slow or have too large headers. */
export function refuseBytes({ code }: ConnectionError, socket: Socket): void {
  if (code === 'ECONNRESET' || socket.destroyed) return;
  const status =
    code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  if (socket.writable) socket.write(refusalBytes(status, STATUS_CODES[status]!));
  socket.destroy();
}

/** A whole HTTP response, for a connection without a request. */
export function refusalBytes(status: number, message: string): string {
  const body = refusalText(status, message);
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

export function refusalText(status: number, message: string): string {
  return JSON.stringify({ error: errorCode(status), message });
}

const ERROR_CODES: Readonly<Record<number, string>> = {
  408: 'request_timeout',
  413: 'request_too_large',
  415: 'unsupported_media_type',
  417: 'expectation_failed',
  431: 'headers_too_large',
};

function errorCode(status: number): string {
  return ERROR_CODES[status] ?? 'bad_request';
}
