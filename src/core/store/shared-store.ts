/** A store outside of the process, which replicas share, and which may be out of reach. */
import type { Store } from './store.ts';

export interface SharedStore extends Store {
  /** Tells every replica, this one included, as far as they can be reached now. */
  publish(topic: string, message: readonly string[]): void;
  onPublished(topic: string, listener: (message: readonly string[]) => void): void;
  /** Calls back for each record of the table that any replica has deleted. */
  onDeleted(table: string, listener: (key: string) => void): void;
  /** Calls back when the store can be reached again: what was published meanwhile is lost. */
  onReconnected(listener: () => void): void;
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

/** The seconds after which a client may try again while the store is out of reach. */
export const RETRY_AFTER_S = 2;

/** Answered with 503, never with 401: a client must not throw its tokens away for it. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';

  constructor(cause: unknown) {
    super('the store of this server is out of reach; try again in a moment', { cause });
  }
}
