/**
 * The clients this server knows: those that registered, and those that a metadata document
 * describes.
 *
 * A flood of registrations never signs anyone out: a client may be forgotten early only
 * until somebody has signed in with it.
 */
import { randomBytes } from 'node:crypto';
import type { Store } from '../core/store.ts';
import type { ClientDescription } from './client-document.ts';
import { type ClientMetadata, clientMetadataUrl, type FoundClient } from './client-metadata.ts';
import { FORM_TTL_MS } from './form-token.ts';
import { CLIENT_TTL_MS, CLIENTS, type Client, SHOWN_CLIENTS } from './records.ts';

const ID_BYTES = 16;
/** Registered ids are short; a longer one is not looked up. */
const ID_FORM = /^[A-Za-z0-9_-]{22}$/;

export class Clients {
  readonly #store: Store;
  readonly #metadata: ClientMetadata;

  constructor(store: Store, metadata: ClientMetadata) {
    this.#store = store;
    this.#metadata = metadata;
  }

  /** Undefined when every place is held by a client that somebody signed in with. */
  async register(description: ClientDescription): Promise<Client | undefined> {
    const client = { id: randomBytes(ID_BYTES).toString('base64url'), ...description };
    const lifetime = { ttlMs: CLIENT_TTL_MS, evictable: true };
    return (await this.#store.put(CLIENTS, client.id, client, lifetime)) ? client : undefined;
  }

  /** `source` is where the question comes from. */
  async find(id: string, source: string): Promise<FoundClient> {
    const url = clientMetadataUrl(id);
    if (url) return this.#metadata.find(url, source);
    const client = await this.#registered(id);
    return client ? { ok: true, client } : { ok: false, reason: 'unknown' };
  }

  /**
   * A form is shown for this client. Posting it sees the same document, though that may not be kept
   * for as long as the form is open, and its site may be down by then.
   */
  async show(client: Client): Promise<void> {
    if (!clientMetadataUrl(client.id)) return;
    const lifetime = { ttlMs: FORM_TTL_MS, evictable: true };
    await this.#store.put(SHOWN_CLIENTS, client.id, client, lifetime);
  }

  /** The client that a form was shown for; of one that was not, what `find` finds. */
  async findShown(id: string, source: string): Promise<FoundClient> {
    const client = await this.#store.get<Client>(SHOWN_CLIENTS, id);
    return client ? { ok: true, client } : this.find(id, source);
  }

  /**
   * Whether tokens may be asked for under this id. A document is not fetched for it: what was
   * read when the user signed in is bound to the code and to the tokens, and a client whose
   * site is down for an hour stays signed in.
   */
  async isKnown(id: string): Promise<boolean> {
    return clientMetadataUrl(id) !== undefined || (await this.#registered(id)) !== undefined;
  }

  /** Keeps a registered client, which somebody just used, for another thirty days. */
  async keep(id: string): Promise<void> {
    const client = await this.#registered(id);
    if (!client) return;
    await this.#store.put(CLIENTS, id, client, { ttlMs: CLIENT_TTL_MS, evictable: false });
  }

  async #registered(id: string): Promise<Client | undefined> {
    return ID_FORM.test(id) ? this.#store.get<Client>(CLIENTS, id) : undefined;
  }
}
