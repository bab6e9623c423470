/**
 * The open streams on which the server speaks unasked: GET streams of the legacy protocol,
 * `subscriptions/listen` of the modern one.
 *
 * Guarantees: a user holds at most `perUser` of them and loses their own oldest beyond that;
 * all are ended when the server drains, so that none holds it up.
 */

export interface Listener {
  toolsChanged(): void;
  end(): void;
}

export class Listeners {
  readonly #perUser: number;
  readonly #byUser = new Map<string, Set<Listener>>();

  constructor(perUser: number) {
    this.#perUser = perUser;
  }

  add(user: string, listener: Listener): void {
    const own = this.#byUser.get(user) ?? new Set();
    this.#byUser.set(user, own.add(listener));
    if (own.size > this.#perUser) this.#end(user, own.values().next().value!);
  }

  /** The stream is closed already; nothing is sent on it any more. */
  remove(user: string, listener: Listener): void {
    const own = this.#byUser.get(user);
    own?.delete(listener);
    if (own?.size === 0) this.#byUser.delete(user);
  }

  toolsChanged(user: string): void {
    for (const listener of this.#byUser.get(user) ?? []) listener.toolsChanged();
  }

  endUser(user: string): void {
    for (const listener of [...(this.#byUser.get(user) ?? [])]) this.#end(user, listener);
  }

  endAll(): void {
    for (const user of [...this.#byUser.keys()]) this.endUser(user);
  }

  #end(user: string, listener: Listener): void {
    this.remove(user, listener);
    listener.end();
  }
}
