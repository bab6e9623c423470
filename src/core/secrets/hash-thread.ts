import { Worker } from 'node:worker_threads';
import { describeError } from '../log/log.ts';
import { missingPart } from '../missing-part.ts';
import { siblingModule } from '../sibling-module.ts';

export interface HashJob {
  readonly password: string;
  /** Prefix, cost and salt of each hash to compute, or a cost for which a salt is made. */
  readonly salts: readonly (string | number)[];
}

/** Thrown when no thread can compute hashes, such as in a damaged installation. */
export class HashingUnavailable extends Error {
  override readonly name = 'HashingUnavailable';
  constructor(reason: string) {
    super(`passwords cannot be hashed: ${reason}`);
  }
}

/** A thread costs some megabytes and starts in less than a tenth of a second. */
const IDLE_MS = 60_000;
/** Hashing needs few objects; by default V8 reserves more. */
const YOUNG_GENERATION_MB = 2;

/**
 * A thread for one job at a time. It starts with a job, ends after a minute without one, and keeps the
 * process alive only while a job runs.
 */
export class HashThread {
  #worker: Worker | undefined;
  #job: PromiseWithResolvers<string> | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** The last of the hashes. */
  run(job: HashJob): Promise<string> {
    clearTimeout(this.#idle);
    const running = Promise.withResolvers<string>();
    this.#job = running;
    const worker = this.#started();
    worker.ref();
    worker.postMessage(job);
    return running.promise;
  }

  /** Ends the thread, also in the middle of a hash. */
  async end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#ended('the server is stopping');
    await worker?.terminate();
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(siblingModule(import.meta.url, 'hash-worker'), {
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    worker.on('message', (hash: string) => this.#rest(hash));
    worker.on('error', (error) => {
      if (this.#worker === worker) this.#ended(missingPart(error) ?? describeError(error));
    });
    worker.on('exit', () => {
      if (this.#worker === worker) this.#ended('the thread ended; try again');
    });
    this.#worker = worker;
    return worker;
  }

  #rest(hash: string): void {
    this.#job?.resolve(hash);
    this.#job = undefined;
    this.#worker?.unref();
    this.#idle = setTimeout(() => void this.end(), IDLE_MS).unref();
  }

  #ended(reason: string): void {
    this.#worker = undefined;
    this.#job?.reject(new HashingUnavailable(reason));
    this.#job = undefined;
  }
}
