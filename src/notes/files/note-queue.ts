/**
 * Who may change what at one time: changes of the same note wait for each other in the order in
 * which they came, changes of different notes run side by side, and a change of the whole vault
 * runs alone. Locks are taken in one global order, so no two changes can wait for each other.
 */
export class NoteQueue {
  readonly #tails = new Map<string, Promise<void>>();
  readonly #running = new Set<Promise<void>>();
  #vaultTail: Promise<void> = Promise.resolve();

  /** Runs `work` once no earlier change of any of `keys` is under way. */
  async notes<T>(keys: Iterable<string>, work: () => Promise<T>): Promise<T> {
    const distinct = [...new Set(keys)];
    const earlier = [this.#vaultTail, ...distinct.map((key) => this.#tails.get(key))];
    const { ended, end } = turn();
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

  /** Runs `work` once no earlier change at all is under way; later ones wait for it. */
  async vault<T>(work: () => Promise<T>): Promise<T> {
    const earlier = [this.#vaultTail, ...this.#running];
    const { ended, end } = turn();
    this.#vaultTail = ended;
    await Promise.all(earlier);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** Returns once everything that was asked for so far has ended. */
  async idle(): Promise<void> {
    await Promise.all([this.#vaultTail, ...this.#running]);
  }
}

function turn(): { ended: Promise<void>; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { ended: promise, end: resolve };
}
