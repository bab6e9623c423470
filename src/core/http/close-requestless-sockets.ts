/**
 * At the stop, ends the connections that have asked for nothing yet.
 *
 * The attack: a stranger opens a connection and sends nothing, or half a request, and each stop
 * of the server waits for it until the grace is over. Node closes only connections that are idle
 * between two requests. One on which a whole request has come is left alone: its call runs.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

export function closeRequestlessSockets(app: FastifyInstance): void {
  const open = new Set<Socket>();
  let isDraining = false;
  app.server.on('connection', (socket: Socket) => {
    if (isDraining) {
      socket.destroy();
      return;
    }
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  app.addHook('preClose', async () => {
    isDraining = true;
    for (const socket of open) if (!hasWholeRequest(socket)) socket.destroy();
  });
}

/**
 * Node keeps the answer under way at its connection, where libraries have read it for a decade.
 * Listening for requests instead would cost every call of the years before.
 */
export interface AnsweringSocket extends Socket {
  _httpMessage?: ServerResponse | null;
}

function hasWholeRequest(socket: AnsweringSocket): boolean {
  return socket._httpMessage?.req.complete ?? false;
}
