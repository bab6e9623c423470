/**
 * Runs one build at a time. A running build may have passed a file that has changed since, so calls
 * meanwhile do not join it: all of them share the one that follows.
 */
export class BuildQueue<Result> {
  #running: Promise<Result> | undefined;
  #following: Promise<Result> | undefined;

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  run(build: () => Promise<Result>): Promise<Result> {
    // It may be about to start, with none running.
    if (this.#following) return this.#following;
    if (!this.#running) return this.#start(build);
    this.#following = this.#running
      .catch(() => {})
      .then(() => {
        this.#following = undefined;
        return this.#start(build);
      });
    return this.#following;
  }

  /** Resolves when neither runs any longer, however they ended. */
  async settled(): Promise<void> {
    await (this.#following ?? this.#running)?.catch(() => {});
  }

  #start(build: () => Promise<Result>): Promise<Result> {
    this.#running = build().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }
}
