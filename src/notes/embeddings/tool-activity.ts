/** Which tool calls run: the background work waits until there is none. */

/** A call that takes very long, such as one that waits for git, does not stop the work for ever. */
const MAX_WAIT_MS = 5_000;

export class ToolActivity {
  #running = 0;
  readonly #waiting = new Set<() => void>();

  /** Returns what is to be called at the end of the call. */
  begin(): () => void {
    this.#running++;
    return () => {
      this.#running--;
      if (this.#running > 0) return;
      for (const resume of this.#waiting) resume();
    };
  }

  async idle(maxWaitMs = MAX_WAIT_MS): Promise<void> {
    if (this.#running === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, maxWaitMs);
    timer.unref();
    this.#waiting.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
  }
}
