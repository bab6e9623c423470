/**
 * Answers requests that one client sent without waiting for answers a few at a time, so that others
 * are answered between them. The attack: thousands of requests in one packet, which Node would
 * otherwise hand out all at once, so that nobody else is served until the last one is answered.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const AT_ONCE = 16;
/** More of one connection are not read until these are answered. */
const MAX_WAITING = 64;

interface Turn {
  readonly socket: Socket;
  readonly answer: () => void;
}

export class Turns {
  readonly #waiting: Turn[] = [];
  readonly #perSocket = new WeakMap<Socket, number>();

  /** At once, unless another answer on this connection is still to be sent. */
  take(socket: Socket, response: ServerResponse, answer: () => void): void {
    if (response.socket !== null) {
      answer();
      return;
    }
    const waiting = (this.#perSocket.get(socket) ?? 0) + 1;
    this.#perSocket.set(socket, waiting);
    if (waiting === MAX_WAITING) socket.pause();
    if (this.#waiting.push({ socket, answer }) === 1) setImmediate(() => this.#next());
  }

  #next(): void {
    for (const { socket, answer } of this.#waiting.splice(0, AT_ONCE)) {
      const waiting = this.#perSocket.get(socket)! - 1;
      this.#perSocket.set(socket, waiting);
      if (waiting === 0) socket.resume();
      if (!socket.destroyed) answer();
    }
    if (this.#waiting.length > 0) setImmediate(() => this.#next());
  }
}
