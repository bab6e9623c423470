/** Retries an index build after a failed write, with exponential backoff. */
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

export class BuildRetry {
  readonly #build: () => Promise<unknown>;
  #pauseMs = FIRST_PAUSE_MS;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** The build reports its outcome with `reset` or `schedule`. */
  constructor(build: () => Promise<unknown>) {
    this.#build = build;
  }

  schedule(): void {
    if (this.#timer !== undefined || this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#build().catch(() => {});
    }, this.#pauseMs);
    this.#timer.unref();
    this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
  }

  reset(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pauseMs = FIRST_PAUSE_MS;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }
}
