/** The server of all programs, alone on a port, and bytes sent to it as they are. */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createServer } from '../../../src/core/http/server.ts';
import { createLog } from '../../../src/core/log/log.ts';

/** The log of the servers, and its lines. */
export const lines: string[] = [];
export const log = createLog({ level: 'info', write: (line) => lines.push(line) });

export async function started(
  routes: (app: FastifyInstance) => void = () => {},
  timeouts: { headersTimeoutMs?: number; requestTimeoutMs?: number } = {},
): Promise<{ app: FastifyInstance; port: number }> {
  const app = createServer({ log, ...timeouts });
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const json = scope.getDefaultJsonParser('error', 'error');
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, json);
    scope.post('/echo', async (request) => ({ got: request.body }));
  });
  routes(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, port: (app.server.address() as AddressInfo).port };
}

/** Sends bytes and gives everything that comes back until the server closes the connection. */
export async function exchange(port: number, ...pieces: string[]): Promise<string> {
  const socket = await opened(port);
  const answer = everything(socket);
  for (const piece of pieces) socket.write(piece);
  return answer;
}

export async function opened(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

export async function everything(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}
