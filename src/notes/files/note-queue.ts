/**
 * Locks for changes: those of one note run in the order of their arrival, those of different notes
 * run concurrently, and one of the whole vault runs alone. Every lock of a change is requested in
 * one synchronous step, so there is one global order and no deadlock.
 */
export class NoteQueue {
  readonly #tails = new Map<string, Promise<void>>();
  readonly #running = new Set<Promise<void>>();
  #vaultTail: Promise<void> = Promise.resolve();

  /** Runs `work` when all earlier changes of any of `keys` have ended. */
  async notes<T>(keys: Iterable<string>, work: () => Promise<T>): Promise<T> {
    const distinct = [...new Set(keys)];
    const earlier = [this.#vaultTail, ...distinct.map((key) => this.#tails.get(key))];
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    for (const key of distinct) this.#tails.set(key, ended);
    this.#running.add(ended);
    await Promise.all(earlier);
    try {
      return await work();
    } finally {
      this.#running.delete(ended);
      for (const key of distinct) {
        if (this.#tails.get(key) === ended) this.#tails.delete(key);
      }
      end();
    }
  }

  /** Runs `work` when all earlier changes have ended; later ones wait for it. */
  async vault<T>(work: () => Promise<T>): Promise<T> {
    const earlier = [this.#vaultTail, ...this.#running];
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#vaultTail = ended;
    await Promise.all(earlier);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** Resolves when all changes requested so far have ended. */
  async idle(): Promise<void> {
    await Promise.all([this.#vaultTail, ...this.#running]);
  }
}
