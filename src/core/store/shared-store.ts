/** A store outside of the process, which replicas share, and which may be unreachable. */
import type { Store } from './store.ts';

export interface SharedStore extends Store {
  /** Sends a message to every replica that is connected, this one included. */
  publish(topic: string, message: readonly string[]): void;
  onPublished(topic: string, listener: (message: readonly string[]) => void): void;
  /** Calls back for each record of the table that any replica has deleted. */
  onDeleted(table: string, listener: (key: string) => void): void;
  /** Calls back after an outage, in which published messages were lost. */
  onReconnected(listener: () => void): void;
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

/** The `Retry-After` of answers while the store is unreachable. */
export const RETRY_AFTER_S = 2;

/** Answered with 503, not with 401, upon which a client would discard its tokens. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';

  constructor(cause: unknown) {
    super('the store of this server is unreachable; try again in a moment', { cause });
  }
}
