/**
 * Limits the open connections, in all and per source.
 *
 * Prevents one machine from occupying every connection (CWE-400): idle connections cost it nothing, and
 * later clients would be refused. A trusted proxy carries many clients and has no limit per source.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type IsTrustedProxy, sourceOf } from './client-address.ts';

const MAX_CONNECTIONS = 4_096;
const MAX_PER_SOURCE = MAX_CONNECTIONS / 4;

export function limitConnections(
  server: Server,
  isTrustedProxy: IsTrustedProxy = () => false,
  maxPerSource = MAX_PER_SOURCE,
): void {
  server.maxConnections = MAX_CONNECTIONS;
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const peer = socket.remoteAddress ?? '';
    if (isTrustedProxy(peer)) return;
    const source = sourceOf(peer);
    const count = (open.get(source) ?? 0) + 1;
    if (count > maxPerSource) {
      socket.destroy();
      return;
    }
    open.set(source, count);
    socket.once('close', () => {
      const left = open.get(source)! - 1;
      if (left > 0) open.set(source, left);
      else open.delete(source);
    });
  });
}
