/**
 * A request as the decoys see it. The path is decoded once, in lower case and with `//` folded, since
 * scanners vary all of these.
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

/** A longer path is not decoded, and no decoy has one. */
const MAX_PATH = 2_048;

/** Reads client and headers on demand: most requests match no decoy. */
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

/** Empty, which matches no decoy, where the path cannot be decoded. */
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
