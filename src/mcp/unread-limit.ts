/**
 * Disconnects a client that reads nothing of its answer for `unreadMs`; any part of a write that the
 * socket takes is progress.
 *
 * A client may pipeline requests (RFC 9112, section 9.3.2). An answer that waits for its turn has no
 * socket yet, and the timeout ends with its answer, so that it never cuts a slow call behind it.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export function limitUnread(response: ServerResponse, unreadMs: number): void {
  const begin = (socket: Socket) => {
    socket.setTimeout(unreadMs);
    // Before Node's own listener, which hands the connection to the next answer.
    response.prependOnceListener('finish', () => socket.setTimeout(0));
  };
  if (response.socket) begin(response.socket);
  else response.once('socket', begin);
}
