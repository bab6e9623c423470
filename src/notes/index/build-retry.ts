/** A build that is owed since something could not be written, tried again at growing distances. */
const FIRST_MS = 1000;
const MAX_MS = 60_000;

export class BuildRetry {
  readonly #build: () => Promise<unknown>;
  #pauseMs = FIRST_MS;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** The build itself says whether it succeeded, through `done` or `owe`. */
  constructor(build: () => Promise<unknown>) {
    this.#build = build;
  }

  owe(): void {
    if (this.#timer !== undefined || this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#build().catch(() => {});
    }, this.#pauseMs);
    this.#timer.unref();
    this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_MS);
  }

  done(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pauseMs = FIRST_MS;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }
}
