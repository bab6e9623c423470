/**
 * Closes connections when the server drains: those without a complete request at once, the others
 * after their last response.
 *
 * Prevents a delayed shutdown by slow or silent clients (CWE-400): a stranger who opens a connection
 * and sends nothing, or half a request, would hold up every shutdown until the grace period ends.
 * Node itself closes only the connections that are idle between two requests.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

export function closeConnectionsOnDrain(app: FastifyInstance): void {
  /** The responses under way on each connection; several where a client pipelines its requests. */
  const open = new Map<Socket, Set<ServerResponse>>();
  let isDraining = false;
  app.server.on('connection', (socket: Socket) => {
    if (isDraining) {
      socket.destroy();
      return;
    }
    open.set(socket, new Set());
    socket.once('close', () => open.delete(socket));
  });
  app.server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const responses = open.get(socket);
    responses?.add(response);
    response.once('close', () => {
      responses?.delete(response);
      if (isDraining && !isAwaited(responses)) socket.destroySoon();
    });
  });
  app.addHook('preClose', async () => {
    isDraining = true;
    for (const [socket, responses] of open) if (!isAwaited(responses)) socket.destroy();
  });
}

/** Whether a complete request waits for its response. */
function isAwaited(responses: ReadonlySet<ServerResponse> = new Set()): boolean {
  return responses.values().some(({ req }) => req.complete);
}
