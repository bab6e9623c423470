/**
 * Limits the open connections, in all and per source.
 *
 * Prevents one machine from occupying every connection (CWE-400): idle connections cost it nothing, and
 * later clients would be refused. A trusted proxy carries many clients and has no limit per source.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Tally } from '../limits/fair-share.ts';
import { type IsTrustedProxy, sourceOf } from './client-address.ts';

const MAX_CONNECTIONS = 4_096;
const MAX_PER_SOURCE = MAX_CONNECTIONS / 4;

export function limitConnections(
  server: Server,
  isTrustedProxy: IsTrustedProxy = () => false,
  maxPerSource = MAX_PER_SOURCE,
): void {
  server.maxConnections = MAX_CONNECTIONS;
  const open = new Tally();
  server.on('connection', (socket: Socket) => {
    const peer = socket.remoteAddress ?? '';
    if (isTrustedProxy(peer)) return;
    const source = sourceOf(peer);
    if (open.of(source) >= maxPerSource) {
      socket.destroy();
      return;
    }
    open.add(source, 1);
    socket.once('close', () => open.add(source, -1));
  });
}
