/**
 * A request as the decoys see it. The path is compared after one decoding, in lower case and with
 * `//` folded, because scanners try all of these against real servers, too.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Client, clientOf, type IsTrustedProxy } from './client.ts';

export interface Probe {
  readonly method: string;
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly client: Client;
  /** Since 1970, in UTC. */
  readonly day: number;
}

/** Works out who asks only when a decoy wants to know: most requests match none. */
export class RequestProbe implements Probe {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly day: number;
  readonly #peer: string | undefined;
  readonly #isTrustedProxy: IsTrustedProxy | undefined;
  #client: Client | undefined;

  constructor(
    { method, url = '', headers, socket }: IncomingMessage,
    day: number,
    isTrustedProxy: IsTrustedProxy | undefined,
  ) {
    const mark = url.indexOf('?');
    this.method = method ?? '';
    this.path = comparablePath(mark < 0 ? url : url.slice(0, mark));
    this.query = mark < 0 ? '' : url.slice(mark + 1);
    this.headers = headers;
    this.day = day;
    this.#peer = socket.remoteAddress;
    this.#isTrustedProxy = isTrustedProxy;
  }

  get client(): Client {
    this.#client ??= clientOf(this.#peer, this.headers['x-forwarded-for'], this.#isTrustedProxy);
    return this.#client;
  }
}

/** A path that cannot be decoded is empty, which no decoy knows. */
export function comparablePath(raw: string): string {
  let path = raw.charCodeAt(0) === 47 ? raw : raw.replace(/^https?:\/\/[^/]*/i, '');
  if (path.includes('%')) {
    try {
      path = decodeURIComponent(path);
    } catch {
      return '';
    }
  }
  if (path.includes('//')) path = path.replace(/\/{2,}/g, '/');
  return path.toLowerCase();
}
