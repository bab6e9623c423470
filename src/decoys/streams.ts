/**
 * Answers that come in pieces, or that stay open. Bounds what they hold: 256 at once and 4 for each source;
 * whoever asks for more is sent everything at once, and the connection ends.
 */
import type { ServerResponse } from 'node:http';
import type { ClaimedServer } from './claimed-server/claimed-server.ts';
import { type Answer, type Delivery, TEXT_TYPE } from './kit/answer.ts';
import { send, sendHead } from './send.ts';

const MAX_STREAMS = 256;
const MAX_PER_SOURCE = 4;
const FULL = {
  status: 503,
  headers: ['Content-Type', TEXT_TYPE],
  body: 'Service Unavailable\n',
};
const KEEP_ALIVE_MS = 15_000;
const MAX_OPEN_MS = 30 * 60_000;

export class Streams {
  readonly #open = new Map<ServerResponse, string>();
  readonly #perSource = new Map<string, number>();
  readonly #channels = new Map<string, ServerResponse>();

  start(answer: Answer, response: ServerResponse, source: string, claimed?: ClaimedServer): void {
    const { body, stream } = answer;
    const chunks = stream?.chunks ?? [];
    const count = this.#perSource.get(source) ?? 0;
    const isFull = this.#open.size >= MAX_STREAMS || count >= MAX_PER_SOURCE;
    if (isFull && stream?.staysOpen) {
      send(FULL, response, claimed);
      return;
    }
    sendHead(answer, response, claimed);
    if (isFull || response.req.method === 'HEAD') {
      response.end([body, ...chunks].join(''));
      return;
    }
    const channel = stream?.channel;
    if (channel !== undefined) this.#channels.set(channel, response);
    this.#open.set(response, source);
    this.#perSource.set(source, count + 1);
    if (body !== '') response.write(body);
    const timer = stream?.staysOpen
      ? heartbeat(response)
      : inPieces(response, chunks, stream?.everyMs);
    response.once('close', () => {
      clearInterval(timer);
      this.#forget(response, source);
      if (channel !== undefined) this.#channels.delete(channel);
    });
  }

  /** Whether there is such a stream, and it took the text. */
  deliver({ channel, text }: Delivery): boolean {
    const response = this.#channels.get(channel);
    if (!response || response.writableNeedDrain) return false;
    response.write(text);
    return true;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Ends all of them: the server is about to stop. */
  close(): void {
    for (const response of this.#open.keys()) response.end();
  }

  #forget(response: ServerResponse, source: string): void {
    if (!this.#open.delete(response)) return;
    const left = (this.#perSource.get(source) ?? 1) - 1;
    if (left > 0) this.#perSource.set(source, left);
    else this.#perSource.delete(source);
  }
}

function inPieces(
  response: ServerResponse,
  chunks: readonly string[],
  everyMs = 40,
): NodeJS.Timeout {
  let at = 0;
  return setInterval(() => {
    // Whoever does not read gets no more.
    if (response.writableNeedDrain) return;
    const chunk = chunks[at++];
    if (chunk === undefined) response.end();
    else response.write(chunk);
  }, everyMs).unref();
}

/** As servers of event streams do, so that proxies leave the connection alone. */
function heartbeat(response: ServerResponse): NodeJS.Timeout {
  const endsAt = performance.now() + MAX_OPEN_MS;
  return setInterval(() => {
    if (performance.now() > endsAt) response.end();
    else if (!response.writableNeedDrain) response.write(': ping\n\n');
  }, KEEP_ALIVE_MS).unref();
}
