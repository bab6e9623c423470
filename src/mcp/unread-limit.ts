/**
 * Cuts off a client that takes nothing of its answer for so long; Node counts as progress what the
 * socket takes, also of a single write.
 *
 * A client may send its next request before it has the answer to the last (RFC 9112, section 9.3.2).
 * An answer whose turn has not come has no socket yet, and one that comes after it has a time of
 * its own: a slow call is not to be cut for what was answered before it.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export function limitUnread(response: ServerResponse, unreadMs: number): void {
  const begin = (socket: Socket) => {
    socket.setTimeout(unreadMs);
    // Before Node's own listener, which gives the connection to the next answer or lets it rest.
    response.prependOnceListener('finish', () => socket.setTimeout(0));
  };
  if (response.socket) begin(response.socket);
  else response.once('socket', begin);
}
