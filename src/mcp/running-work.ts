/**
 * Counts calls that run. A call whose connection was closed still runs to its end and writes its audit
 * line, for which a shutdown waits.
 */
export class RunningWork {
  #count = 0;
  #ended: PromiseWithResolvers<void> | undefined;

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#ended?.resolve();
  }

  /** Resolves when nothing runs, or after `maxMs`. */
  async ended(maxMs: number): Promise<void> {
    if (this.#count === 0) return;
    this.#ended ??= Promise.withResolvers();
    const giveUp = setTimeout(this.#ended.resolve, maxMs);
    await this.#ended.promise;
    clearTimeout(giveUp);
  }
}
