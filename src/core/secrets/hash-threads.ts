import { availableParallelism } from 'node:os';
import { type HashJob, HashThread } from './hash-thread.ts';

const MAX_THREADS = Math.min(2, availableParallelism());
const MAX_WAITING = 200;

/** Thrown when the queue of password checks is full. */
export class TooManyAttempts extends Error {
  override readonly name = 'TooManyAttempts';
  constructor() {
    super('too many sign-in attempts at once; try again in a moment');
  }
}

/** A pool of few threads, which leaves processors to other work, with a bounded queue. */
export class HashThreads {
  readonly #resting = Array.from({ length: MAX_THREADS }, () => new HashThread());
  readonly #working = new Set<HashThread>();
  readonly #waiting: PromiseWithResolvers<HashThread>[] = [];

  async run(job: HashJob): Promise<string> {
    const thread = await this.#take();
    try {
      return await thread.run(job);
    } finally {
      this.#giveBack(thread);
    }
  }

  /** Ends every thread; running and waiting jobs fail. A later job starts a thread again. */
  async end(): Promise<void> {
    for (const { reject } of this.#waiting.splice(0)) reject(new TooManyAttempts());
    const threads = [...this.#resting, ...this.#working];
    await Promise.all(threads.map((thread) => thread.end()));
  }

  /** Takes the most recently used thread, so that others stay idle and end. */
  async #take(): Promise<HashThread> {
    const rested = this.#resting.pop();
    if (!rested && this.#waiting.length >= MAX_WAITING) throw new TooManyAttempts();
    const turn = Promise.withResolvers<HashThread>();
    if (!rested) this.#waiting.push(turn);
    const thread = rested ?? (await turn.promise);
    this.#working.add(thread);
    return thread;
  }

  #giveBack(thread: HashThread): void {
    this.#working.delete(thread);
    const next = this.#waiting.shift();
    if (next) next.resolve(thread);
    else this.#resting.push(thread);
  }
}
