/**
 * The clients this server knows: those that registered, and those that a metadata document
 * describes.
 *
 * A flood of registrations neither signs anyone out nor disturbs a person at the login form
 * (CWE-770): a client is kept while a sign-in refers to it (`kept-clients.ts`), and a copy of it for
 * as long as a form that was shown for it can be posted. All others give way to new ones, those of
 * the source that registered most first.
 */
import { randomBytes } from 'node:crypto';
import type { Store } from '../core/store/store.ts';
import type { ClientDescription } from './client-document.ts';
import { type ClientMetadata, clientMetadataUrl, type FoundClient } from './client-metadata.ts';
import type { KeptClient } from './kept-clients.ts';
import { FORM_TTL_MS } from './login/form-token.ts';
import { CLIENT_TTL_MS, CLIENTS, type Client, KEPT_CLIENTS, SHOWN_CLIENTS } from './records.ts';

const ID_BYTES = 16;
/** Registered ids are short; a longer one is not looked up. */
const ID_FORM = /^[A-Za-z0-9_-]{22}$/;
const MAX_SHOWN_PER_SOURCE = 100;

export class Clients {
  readonly #store: Store;
  readonly #metadata: ClientMetadata;

  constructor(store: Store, metadata: ClientMetadata) {
    this.#store = store;
    this.#metadata = metadata;
  }

  /** Undefined when the table is full of records that may not be evicted. */
  async register(description: ClientDescription, source: string): Promise<Client | undefined> {
    const client = { id: randomBytes(ID_BYTES).toString('base64url'), ...description };
    const lifetime = { ttlMs: CLIENT_TTL_MS, evictable: true, source } as const;
    return (await this.#store.put(CLIENTS, client.id, client, lifetime)) ? client : undefined;
  }

  /** `source` is the address that asks, for the limits per source. */
  async find(id: string, source: string): Promise<FoundClient> {
    const url = clientMetadataUrl(id);
    if (url) return this.#metadata.find(url, source);
    const client = await this.#registered(id);
    return client ? { ok: true, client } : { ok: false, reason: 'unknown' };
  }

  /**
   * Keeps the client for as long as the form that is shown for it can be posted, also when it is
   * evicted meanwhile, or when its metadata document expires from the cache.
   */
  async show(client: Client, source: string): Promise<void> {
    await this.#store.put(SHOWN_CLIENTS, client.id, client, {
      ttlMs: FORM_TTL_MS,
      evictable: true,
      source,
      maxOfSource: MAX_SHOWN_PER_SOURCE,
    });
  }

  /** The client that a form was shown for, or else what `find` finds. */
  async findShown(id: string, source: string): Promise<FoundClient> {
    const client = await this.#store.get<Client>(SHOWN_CLIENTS, id);
    return client ? { ok: true, client } : this.find(id, source);
  }

  /**
   * Whether tokens may be requested with this id. Fetches no metadata document: code and tokens are
   * bound to the one that was read at the sign-in, so that a client stays signed in while its site
   * is down.
   */
  async isKnown(id: string): Promise<boolean> {
    return clientMetadataUrl(id) !== undefined || (await this.#registered(id)) !== undefined;
  }

  /** What a person knows a client by. Fetches nothing. */
  async nameOf(id: string): Promise<string | undefined> {
    return clientMetadataUrl(id)?.host ?? (await this.#registered(id))?.name;
  }

  async #registered(id: string): Promise<Client | undefined> {
    if (!ID_FORM.test(id)) return undefined;
    return (
      (await this.#store.get<KeptClient>(KEPT_CLIENTS, id))?.client ??
      (await this.#store.get<Client>(CLIENTS, id)) ??
      this.#store.get<Client>(SHOWN_CLIENTS, id)
    );
  }
}
