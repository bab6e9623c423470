/**
 * One response that is a stream of server-sent events.
 *
 * Guarantees: a comment goes out at every beat, so that no proxy takes the connection for
 * dead; a client that does not read is cut off before it fills our memory, and after a while.
 */
import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Pace } from './exchange.ts';

/** A client this far behind is not reading. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

export class EventStream {
  readonly #body = new PassThrough();
  readonly #beat: NodeJS.Timeout;

  /** Sends the headers at once; `onClose` is called when either side has closed the stream. */
  constructor(
    reply: FastifyReply,
    { keepAliveMs, unreadMs }: Pick<Pace, 'keepAliveMs' | 'unreadMs'>,
    onClose: () => void,
    onBeat: () => void = () => {},
  ) {
    this.#body.once('close', () => {
      clearInterval(this.#beat);
      onClose();
    });
    this.#body.on('error', () => {});
    this.#beat = setInterval(() => {
      this.#comment('keep-alive');
      onBeat();
    }, keepAliveMs);
    reply
      .code(200)
      .header('content-type', 'text/event-stream')
      .header('cache-control', 'no-cache, no-transform')
      .header('x-accel-buffering', 'no')
      .send(this.#body);
    this.#comment('open');
    // Every comment that the client takes begins it anew.
    reply.raw.socket?.setTimeout(Math.max(unreadMs, 4 * keepAliveMs));
  }

  /** `json` is a serialised message, which has no line breaks. */
  send(json: string): void {
    if (!this.#body.writable) return;
    // Looked at before writing: one large result to a client that reads is no offence.
    if (this.#body.writableLength > MAX_UNREAD_BYTES) this.#body.destroy();
    else this.#body.write(`event: message\ndata: ${json}\n\n`);
  }

  /** Resolves when the client has taken what was sent, or is gone. */
  async taken(): Promise<void> {
    if (!this.#body.writable || !this.#body.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#body.off('drain', done).off('close', done);
        resolve();
      };
      this.#body.on('drain', done).on('close', done);
    });
  }

  end(): void {
    clearInterval(this.#beat);
    this.#body.end();
  }

  #comment(text: string): void {
    if (this.#body.writable && !this.#body.writableNeedDrain) this.#body.write(`: ${text}\n\n`);
  }
}
