/**
 * Clients whose id is the URL of a document that describes them
 * (draft-ietf-oauth-client-id-metadata-document). They need no registration, so they survive
 * a restart of this server.
 *
 * Prevents denial of service by fetches that strangers request: the URL must be https in its canonical
 * form, `fetch-limiter.ts` limits how many run at a time, and answers and failures are cached. `fetch`
 * prevents server-side request forgery.
 */
import { describeError, type Log } from '../core/log/log.ts';
import type { Store } from '../core/store/store.ts';
import { DAY_MS } from '../core/time.ts';
import { isRecord, readClientDescription } from './client-document.ts';
import { type FetchKey, FetchLimiter } from './fetch-limiter.ts';
import { OAuthError } from './oauth-error.ts';
import { CLIENT_METADATA, type Client } from './records.ts';

const MAX_ID_LENGTH = 1_024;
const TIMEOUT_MS = 5_000;
/** How long a fetch waits for the limiter; a person looks at an empty page meanwhile. */
const WAIT_MS = 3_000;
/** At least, whatever the site says: a document is not fetched for every form. */
const MIN_AGE_MS = 10 * 60_000;
const MAX_AGE_MS = DAY_MS;
const FAILURE_AGE_MS = 60_000;

export type FetchClientMetadata = (
  url: URL,
  signal: AbortSignal,
  /** Called synchronously when a name lookup begins. */
  onLookup: (lookup: Promise<unknown>) => void,
) => Promise<{ body: Uint8Array; maxAgeMs: number }>;

export type FoundClient =
  | { readonly ok: true; readonly client: Client }
  | {
      readonly ok: false;
      /** `unreadable`: the document could not be fetched, or does not describe this client. */
      readonly reason: 'unknown' | 'unreadable' | 'busy';
    };

interface ClientMetadataOptions {
  readonly store: Store;
  readonly fetch: FetchClientMetadata;
  readonly log: Log;
  /** Other in tests. */
  readonly waitMs?: number;
}

type Kept = { readonly client: Client } | { readonly failed: true };

/** The address that a client id is, or undefined when it is an id of another kind. */
export function clientMetadataUrl(id: string): URL | undefined {
  if (id.length > MAX_ID_LENGTH || !id.startsWith('https://') || !URL.canParse(id))
    return undefined;
  const url = new URL(id);
  const isPlain = url.href === id && !/[#@?]/.test(id) && url.pathname !== '/';
  return isPlain ? url : undefined;
}

export class ClientMetadata {
  readonly #store: Store;
  readonly #fetch: FetchClientMetadata;
  readonly #log: Log;
  /** Fetches that run, by URL; and searches, which may still wait for the limiter, by source and URL. */
  readonly #underWay = new Map<string, Promise<FoundClient>>();
  readonly #searches = new Map<string, Promise<FoundClient>>();
  readonly #limiter: FetchLimiter;

  constructor(options: ClientMetadataOptions) {
    this.#store = options.store;
    this.#fetch = options.fetch;
    this.#log = options.log;
    this.#limiter = new FetchLimiter(options.waitMs ?? WAIT_MS);
  }

  /** `source` is the address that asks: one source cannot use up the limit of all. */
  async find(url: URL, source: string): Promise<FoundClient> {
    const known = await this.#known(url);
    if (known) return known;
    const key = `${source} ${url.href}`;
    const search = this.#searches.get(key) ?? this.#search(url, source);
    this.#searches.set(key, search);
    return search.finally(() => this.#searches.delete(key));
  }

  /** The cached document, or that of the fetch that runs. */
  async #known(url: URL): Promise<FoundClient | undefined> {
    const kept = await this.#store.get<Kept>(CLIENT_METADATA, url.href);
    return kept ? found(kept) : this.#underWay.get(url.href);
  }

  /** A caller that the limiter refused may find what another source has fetched meanwhile. */
  async #search(url: URL, source: string): Promise<FoundClient> {
    const key = { host: url.hostname, source };
    const fetched = await this.#limiter.fetch(key, () => this.#fetchOnce(url, key));
    return fetched ?? (await this.#known(url)) ?? { ok: false, reason: 'busy' };
  }

  /** Begins synchronously, so that the limiter counts it before another begins. */
  #fetchOnce(url: URL, key: FetchKey): Promise<FoundClient> {
    const underWay = this.#underWay.get(url.href);
    if (underWay) return underWay;
    const fetching = this.#fetchAndKeep(url, key).finally(() => this.#underWay.delete(url.href));
    this.#underWay.set(url.href, fetching);
    return fetching;
  }

  async #fetchAndKeep(url: URL, key: FetchKey): Promise<FoundClient> {
    const { kept, ttlMs } = await this.#read(url, key);
    const { source } = key;
    await this.#store.put(CLIENT_METADATA, url.href, kept, { ttlMs, evictable: true, source });
    return found(kept);
  }

  async #read(url: URL, key: FetchKey): Promise<{ kept: Kept; ttlMs: number }> {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const { body, maxAgeMs } = await this.#fetch(url, signal, (lookup) =>
        this.#limiter.holdLookup(key, lookup),
      );
      const ttlMs = Math.min(MAX_AGE_MS, Math.max(MIN_AGE_MS, maxAgeMs));
      return { kept: { client: readDocument(url, body) }, ttlMs };
    } catch (error) {
      this.#log.debug('client_metadata_unreadable', {
        client_id: url.href,
        message: describeError(error),
      });
      return { kept: { failed: true }, ttlMs: FAILURE_AGE_MS };
    }
  }
}

function readDocument(url: URL, body: Uint8Array): Client {
  const document: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  if (!isRecord(document) || document.client_id !== url.href) {
    throw new OAuthError(
      'invalid_client_metadata',
      'client_id must be the address of the document',
    );
  }
  if ('client_secret' in document) {
    throw new OAuthError('invalid_client_metadata', 'a public document must hold no client_secret');
  }
  return { id: url.href, ...readClientDescription(document) };
}

function found(kept: Kept): FoundClient {
  return 'client' in kept ? { ok: true, client: kept.client } : { ok: false, reason: 'unreadable' };
}
