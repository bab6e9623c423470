/**
 * A request as the decoys see it. The path is compared after one decoding, in lower case and with
 * `//` folded, because scanners try all of these against real servers, too.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  type Client,
  clientOfRequest,
  type IsTrustedProxy,
} from '../../core/http/client-address.ts';

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

/** What is longer is the path of no decoy, and to decode it would cost more than to answer it. */
const MAX_PATH = 2_048;

/** Works out who asks, and what the headers are, only when a decoy wants to know: most match none. */
export class RequestProbe implements Probe {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly day: number;
  readonly #request: IncomingMessage;
  readonly #isTrustedProxy: IsTrustedProxy | undefined;
  #client: Client | undefined;

  constructor(request: IncomingMessage, day: number, isTrustedProxy: IsTrustedProxy | undefined) {
    const { method, url = '' } = request;
    const mark = url.indexOf('?');
    this.method = method ?? '';
    this.path = comparablePath(mark < 0 ? url : url.slice(0, mark));
    this.query = mark < 0 ? '' : url.slice(mark + 1);
    this.day = day;
    this.#request = request;
    this.#isTrustedProxy = isTrustedProxy;
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  get client(): Client {
    this.#client ??= clientOfRequest(this.#request, this.#isTrustedProxy);
    return this.#client;
  }
}

/** A path that cannot be decoded is empty, which no decoy knows. */
function comparablePath(raw: string): string {
  if (raw.length > MAX_PATH) return '';
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
