/**
 * The open streams for notifications of the server: GET streams of the legacy protocol,
 * `subscriptions/listen` of the modern one.
 *
 * Guarantees: a user has at most `perUser` streams, beyond which the oldest ends. All end when the
 * server drains. The token that opened a stream is checked again before every message and every
 * `checkMs`, so that nothing is sent once it is revoked or has expired.
 */
import { StoreUnavailable } from '../core/store/shared-store.ts';

export interface Listener {
  /** Whether the token that opened the stream is still good. */
  isAlive(): Promise<boolean>;
  toolsChanged(): void;
  end(): void;
}

export class Listeners {
  readonly #perUser: number;
  readonly #checkMs: number;
  readonly #byUser = new Map<string, Set<Listener>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(perUser: number, checkMs: number) {
    this.#perUser = perUser;
    this.#checkMs = checkMs;
  }

  add(user: string, listener: Listener): void {
    const own = this.#byUser.get(user) ?? new Set();
    this.#byUser.set(user, own.add(listener));
    if (own.size > this.#perUser) this.#end(user, own.values().next().value!);
    this.#timer ??= setInterval(() => this.#endDead(), this.#checkMs).unref();
  }

  /** The stream is closed already; nothing is sent on it any more. */
  remove(user: string, listener: Listener): void {
    const own = this.#byUser.get(user);
    own?.delete(listener);
    if (own?.size === 0) this.#byUser.delete(user);
    if (this.#byUser.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  toolsChanged(user: string): void {
    for (const listener of this.#byUser.get(user) ?? []) {
      this.notify(user, listener, () => listener.toolsChanged());
    }
  }

  /** Sends on one stream, if the token that opened it is still good. */
  notify(user: string, listener: Listener, send: () => void): void {
    void this.#isAlive(user, listener).then((isAlive) => isAlive && send());
  }

  endUser(user: string): void {
    for (const listener of [...(this.#byUser.get(user) ?? [])]) this.#end(user, listener);
  }

  endAll(): void {
    for (const user of [...this.#byUser.keys()]) this.endUser(user);
  }

  #endDead(): void {
    for (const [user, own] of this.#byUser) {
      for (const listener of own) void this.#isAlive(user, listener);
    }
  }

  /**
   * Ends the stream if its token is not valid any more. While the store is unreachable, nothing is sent
   * and the stream stays open, so that an outage does not make every client reconnect.
   */
  async #isAlive(user: string, listener: Listener): Promise<boolean> {
    try {
      const isAlive = await listener.isAlive();
      if (!isAlive) this.#end(user, listener);
      return isAlive;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) this.#end(user, listener);
      return false;
    }
  }

  #end(user: string, listener: Listener): void {
    this.remove(user, listener);
    listener.end();
  }
}
