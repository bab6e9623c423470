/**
 * Keeps the incarnations of the users of this replica equal to those in the store: at the start, after
 * every reload, and when the store can be reached again, since it may have lost what it knew.
 */
import { randomUUID } from 'node:crypto';
import { claimIncarnation, endIncarnation } from '../../core/store/incarnations.ts';
import type { SharedStore } from '../../core/store/shared-store.ts';
import type { ActiveConfig } from './active-config.ts';

const RETRY_MS = 1_000;

export class SharedIncarnations {
  readonly #store: SharedStore;
  readonly #active: ActiveConfig;
  /** As they were last agreed on with the store. */
  readonly #agreed = new Map<string, string>();
  #isUnderWay = false;
  #isDue = false;

  constructor(store: SharedStore, active: ActiveConfig) {
    this.#store = store;
    this.#active = active;
    store.onReconnected(() => this.follow());
  }

  /** Agrees once; rejects when the store is out of reach. */
  async agree(): Promise<void> {
    const { users } = this.#active.config;
    for (const [name, id] of this.#agreed) {
      if (users.has(name)) continue;
      await endIncarnation(this.#store, name, id);
      this.#agreed.delete(name);
    }
    for (const name of users.keys()) {
      const id = await claimIncarnation(this.#store, name, this.#agreed.get(name) ?? randomUUID());
      this.#agreed.set(name, id);
      this.#active.adoptIncarnation(name, id);
    }
  }

  /** Agrees in the background, until it has succeeded. */
  follow(): void {
    this.#isDue = true;
    if (!this.#isUnderWay) void this.#follow();
  }

  async #follow(): Promise<void> {
    this.#isUnderWay = true;
    while (this.#isDue) {
      this.#isDue = false;
      try {
        await this.agree();
      } catch {
        this.#isDue = true;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      }
    }
    this.#isUnderWay = false;
  }
}
