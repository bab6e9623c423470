/**
 * One response that is a stream of server-sent events.
 *
 * Guarantees: a comment is sent at every beat, so that no proxy closes the connection; a client that
 * does not read is disconnected before it fills our memory, and after a timeout.
 */
import type { ServerResponse } from 'node:http';
import type { JsonPieces } from './json-text.ts';
import { sendPieces, whenTaken } from './send-pieces.ts';
import type { Pace } from './slow-calls.ts';
import { limitUnread } from './unread-limit.ts';

/** A client this far behind is not reading. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
const BEFORE = 'event: message\ndata: ';
const AFTER = '\n\n';

export class EventStream {
  readonly #response: ServerResponse;
  readonly #beat: NodeJS.Timeout;
  /** Messages that wait while one in pieces is sent; undefined at any other time. */
  #waiting: string[] | undefined;

  /** Sends the headers at once; `onClose` is called when either side has closed the stream. */
  constructor(
    response: ServerResponse,
    { keepAliveMs, unreadMs }: Pick<Pace, 'keepAliveMs' | 'unreadMs'>,
    onClose: () => void,
    onBeat: () => void = () => {},
  ) {
    this.#response = response;
    const close = () => {
      clearInterval(this.#beat);
      onClose();
    };
    // A response that is closed already emits no event.
    if (response.closed) process.nextTick(close);
    else response.once('close', close);
    this.#beat = setInterval(() => {
      this.#comment('keep-alive');
      onBeat();
    }, keepAliveMs);
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    this.#comment('open');
    // Every comment that the client reads restarts the timeout.
    limitUnread(response, Math.max(unreadMs, 4 * keepAliveMs));
  }

  /** `json` is a serialised message, which has no line breaks. */
  send(json: string): void {
    if (!this.#isOpen) return;
    if (this.#waiting !== undefined) {
      this.#waiting.push(json);
      return;
    }
    // Checked before writing: one large result is allowed to a client that reads.
    if (this.#response.writableLength > MAX_UNREAD_BYTES) this.#response.destroy();
    else this.#response.write(`${BEFORE}${json}${AFTER}`);
  }

  /** The same for a message in pieces. One is sent at a time; others wait for it. */
  async sendPieces(json: JsonPieces): Promise<void> {
    if (!this.#isOpen) return;
    this.#waiting = [];
    this.#response.write(BEFORE);
    await sendPieces(this.#response, json);
    if (this.#isOpen) this.#response.write(AFTER);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    for (const message of waiting) this.send(message);
  }

  /** Resolves when the client has read what was sent, or is gone. */
  async taken(): Promise<void> {
    if (this.#isOpen) await whenTaken(this.#response);
  }

  end(): void {
    clearInterval(this.#beat);
    this.#response.end();
  }

  get #isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  #comment(text: string): void {
    if (!this.#isOpen || this.#waiting !== undefined) return;
    if (!this.#response.writableNeedDrain) this.#response.write(`: ${text}\n\n`);
  }
}
