/**
 * Hands what may hold a honeytoken to the thread that searches it.
 *
 * The attacks: requests full of look-alikes, each of which costs cryptography, so that the server answers
 * nobody else; and a flood of them that fills the memory, or hides the use of a stolen token. So the
 * main thread copies bytes and does nothing else; what waits has a fixed room, of which one source gets at
 * most half of what the others leave. What finds no room is counted and told, and its credentials, which are
 * few bytes, wait apart and are searched before all else: no flood hides a token that is used as one.
 *
 * The thread starts with the first job and ends a minute after the last one.
 */
import { Worker } from 'node:worker_threads';
import { siblingModule } from '../../core/sibling-module.ts';
import type { KeyBytes, Site } from '../tokens/token-reader.ts';
import type { Sighting } from './search.ts';
import {
  type Credentials,
  type Job,
  SearchQueue,
  type Waiting,
  type WaitingCredentials,
} from './search-queue.ts';

const GATHER_MS = 5;
const IDLE_MS = 60_000;
const RESTART_AFTER_MS = 1_000;
const OLD_GENERATION_MB = 64;

export interface Unchecked {
  readonly requests?: number;
  readonly candidates?: number;
  /** Uses that were told before. */
  readonly repeats?: number;
}

export interface VerifierOptions {
  readonly keys: readonly KeyBytes[];
  readonly site: Site;
  readonly now: () => number;
  readonly onUnchecked: (unchecked: Unchecked) => void;
  readonly onError: (error: unknown) => void;
  /** Less in tests. */
  readonly roomBytes?: number;
}

/** What the thread is given when it starts. */
export interface VerifierData {
  readonly keys: readonly KeyBytes[];
  readonly site: Site;
  readonly room: SharedArrayBuffer;
}

/** The properties of the jobs, column by column: to copy an object for each takes several times as long. */
export interface JobBatch {
  readonly nowMs: number;
  readonly ids: readonly number[];
  readonly offsets: readonly number[];
  readonly headLengths: readonly number[];
  readonly bodyLengths: readonly number[];
  readonly codings: readonly (string | undefined)[];
  readonly sources: readonly string[];
  readonly mcpClients: readonly (string | undefined)[];
}

/** Searched before the next job of the batch that is being searched. */
export interface CredentialsBatch {
  readonly nowMs: number;
  readonly credentials: readonly Credentials[];
}

export interface BatchResult {
  readonly isOfCredentials: boolean;
  readonly found: readonly (readonly [id: number, sightings: readonly Sighting[]])[];
  /** The requests with a token, also with one that was told before. */
  readonly dirty: readonly number[];
  readonly repeats: number;
  readonly uncheckedCandidates: number;
}

export class Verifier {
  readonly #options: VerifierOptions;
  readonly #queue: SearchQueue;
  #worker: Worker | undefined;
  /** One batch of each at a time. */
  #sentJobs: readonly Waiting[] | undefined;
  #sentCredentials: readonly WaitingCredentials[] | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #whenIdle: PromiseWithResolvers<void> | undefined;

  constructor(options: VerifierOptions) {
    this.#options = options;
    this.#queue = new SearchQueue(options.roomBytes);
  }

  /** Never throws, and never waits. */
  submit(job: Job): void {
    if (this.#canStart()) {
      const isWhole = this.#queue.addWhole(job);
      if (!isWhole) this.#queue.addCredentials(job);
      this.#sendSoon();
      if (isWhole) return;
    }
    this.#options.onUnchecked({ requests: 1 });
  }

  /** Resolves when nothing waits. */
  idle(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    this.#whenIdle ??= Promise.withResolvers();
    return this.#whenIdle.promise;
  }

  /** What waits is searched first. */
  async close(): Promise<void> {
    await this.idle();
    clearTimeout(this.#idle);
    await this.#end();
  }

  #sendSoon(): void {
    if (this.#canSendJobs() || this.#canSendCredentials())
      this.#gathering ??= setTimeout(() => this.#send(), GATHER_MS);
  }

  #canSendJobs(): boolean {
    return this.#queue.hasJobs && !this.#sentJobs;
  }

  #canSendCredentials(): boolean {
    return this.#queue.hasCredentials && !this.#sentCredentials;
  }

  #send(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    clearTimeout(this.#idle);
    try {
      this.#worker ??= this.#start();
      this.#worker.ref();
      if (this.#canSendCredentials()) this.#sendCredentials(this.#worker);
      if (this.#canSendJobs()) this.#sendJobs(this.#worker);
    } catch (error) {
      this.#failed(error);
    }
  }

  #sendCredentials(worker: Worker): void {
    this.#sentCredentials = this.#queue.takeCredentials();
    worker.postMessage({
      nowMs: this.#options.now(),
      credentials: this.#sentCredentials.map(({ sent }) => sent),
    } satisfies CredentialsBatch);
  }

  #sendJobs(worker: Worker): void {
    this.#sentJobs = this.#queue.takeJobs();
    const jobs = this.#sentJobs.map(({ placed }) => placed);
    worker.postMessage({
      nowMs: this.#options.now(),
      ids: jobs.map(({ id }) => id),
      offsets: jobs.map(({ offset }) => offset),
      headLengths: jobs.map(({ headLength }) => headLength),
      bodyLengths: jobs.map(({ bodyLength }) => bodyLength),
      codings: jobs.map(({ coding }) => coding),
      sources: jobs.map(({ source }) => source),
      mcpClients: jobs.map(({ mcpClient }) => mcpClient),
    } satisfies JobBatch);
  }

  #start(): Worker {
    const { keys, site } = this.#options;
    const data: VerifierData = { keys, site, room: this.#queue.room };
    const worker = new Worker(siblingModule(import.meta.url, 'verify-worker'), {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: OLD_GENERATION_MB },
    });
    worker.on('message', (result: BatchResult) => {
      if (this.#worker === worker) this.#answered(result);
    });
    worker.on('error', (error) => this.#worker === worker && this.#failed(error));
    worker.on('exit', () => this.#worker === worker && this.#failed('the thread has ended'));
    return worker;
  }

  #answered(result: BatchResult): void {
    const { repeats, uncheckedCandidates: candidates } = result;
    if (result.isOfCredentials) this.#credentialsAnswered(result);
    else this.#jobsAnswered(result);
    if (repeats > 0 || candidates > 0) this.#options.onUnchecked({ repeats, candidates });
    if (this.#canSendJobs() || this.#canSendCredentials()) this.#send();
    if (!this.#isIdle()) return;
    this.#whenIdle?.resolve();
    this.#whenIdle = undefined;
    this.#worker?.unref();
    this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
  }

  #jobsAnswered({ found, dirty }: BatchResult): void {
    const jobs = this.#sentJobs ?? [];
    const sightings = new Map(found);
    const isDirty = new Set(dirty);
    for (const { job, placed } of jobs) {
      const seen = sightings.get(placed.id);
      if (seen) job.onFound(seen);
      else if (!isDirty.has(placed.id)) job.onClean?.();
    }
    this.#queue.releaseJobs(jobs);
    this.#sentJobs = undefined;
  }

  #credentialsAnswered({ found }: BatchResult): void {
    const credentials = this.#sentCredentials ?? [];
    const sightings = new Map(found);
    for (const { job, sent } of credentials) {
      const seen = sightings.get(sent.id);
      if (seen) job.onFound(seen);
    }
    this.#queue.releaseCredentials(credentials);
    this.#sentCredentials = undefined;
  }

  #isIdle(): boolean {
    const isSent = this.#sentJobs !== undefined || this.#sentCredentials !== undefined;
    return !isSent && !this.#queue.hasJobs && !this.#queue.hasCredentials;
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #canStart(): boolean {
    return performance.now() - this.#failedAtMs >= RESTART_AFTER_MS;
  }

  /** What waits is lost, and told. */
  #failed(error: unknown): void {
    void this.#end();
    this.#failedAtMs = performance.now();
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#options.onError(error);
    const lost = [...(this.#sentJobs ?? []), ...this.#queue.takeAllJobs()];
    this.#queue.releaseJobs(lost);
    this.#queue.releaseCredentials([
      ...(this.#sentCredentials ?? []),
      ...this.#queue.takeCredentials(),
    ]);
    this.#sentJobs = undefined;
    this.#sentCredentials = undefined;
    // The requests of credentials were counted when there was no room for them.
    if (lost.length > 0) this.#options.onUnchecked({ requests: lost.length });
    this.#whenIdle?.resolve();
    this.#whenIdle = undefined;
  }
}
