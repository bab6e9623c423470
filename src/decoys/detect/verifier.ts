/**
 * Hands what may hold a honeytoken to the thread that searches it.
 *
 * The attacks: requests full of look-alikes, each of which costs cryptography, so that the server answers
 * nobody else; and a flood of them that fills the memory, or hides the use of a stolen token. So the
 * main thread copies bytes and does nothing else; what waits has a fixed room, of which one source gets at
 * most half of what the others leave. What finds no room is counted and told, and its credentials, which are
 * few bytes, wait apart and are searched before all else: no flood hides a token that is used as one.
 *
 * The thread starts with the first job and ends a minute after the last one. It is woken when it sleeps, and
 * takes what comes until nothing waits.
 */
import { Worker } from 'node:worker_threads';
import { siblingModule } from '../../core/sibling-module.ts';
import type { KeyBytes, Site } from '../tokens/token-reader.ts';
import type { Sighting } from './search.ts';
import { MAX_BODY_SEARCHED, SearchQueue, type SharedRoom, type Waiting } from './search-queue.ts';

const ROOM_BYTES = 8 * 1024 * 1024;
/** Each keeps a request with its headers until it is searched. */
const MAX_JOBS = 1_024;
const CREDENTIALS_ROOM_BYTES = 4 * 1024 * 1024;
const MAX_CREDENTIALS = 2_048;
const NO_BODY = new Uint8Array(0);

const GATHER_MS = 5;
const IDLE_MS = 60_000;
const RESTART_AFTER_MS = 1_000;
const OLD_GENERATION_MB = 64;

export interface Job {
  /** The texts of a `Suspicion`. */
  readonly texts: readonly string[];
  readonly body?: Uint8Array;
  /** The `Content-Encoding`. */
  readonly coding?: string | undefined;
  /** Who sent it, as far as sources are limited. */
  readonly source: string;
  /** The address of the client, where the request is for the MCP decoy. */
  readonly mcpClient?: string | undefined;
  /** Of the texts, what is searched where there is no room for all of them. */
  credentials?(): readonly string[];
  onFound(sightings: readonly Sighting[]): void;
  /** Nothing in it is a token, nor one that was told before. */
  onClean?(): void;
}

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
  /** What is searched first, first. */
  readonly rooms: readonly SharedRoom[];
}

/** What wakes the thread. */
export interface WakeUp {
  readonly nowMs: number;
}

/** What the thread tells when nothing waits, and from time to time when it has found something. */
export interface Progress {
  readonly isDone: boolean;
  /** For each room, the requests with a token; without a sighting where it was told before. */
  readonly found: readonly ReadonlyMap<number, readonly Sighting[]>[];
  readonly repeats: number;
  readonly uncheckedCandidates: number;
}

export class Verifier {
  readonly #options: VerifierOptions;
  readonly #roomBytes: number;
  /** Made with the first job: most servers never see one. */
  #queues: { readonly credentials: SearchQueue; readonly jobs: SearchQueue } | undefined;
  #worker: Worker | undefined;
  #isAwake = false;
  #gathering: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #whenIdle: PromiseWithResolvers<void> | undefined;

  constructor(options: VerifierOptions) {
    this.#options = options;
    this.#roomBytes = options.roomBytes ?? ROOM_BYTES;
  }

  /** Never throws, and never waits. */
  submit(job: Job): void {
    if (this.#canStart()) {
      this.#queues ??= {
        credentials: new SearchQueue(CREDENTIALS_ROOM_BYTES, MAX_CREDENTIALS),
        jobs: new SearchQueue(this.#roomBytes, MAX_JOBS),
      };
      const { credentials, jobs } = this.#queues;
      const body = job.body?.subarray(0, MAX_BODY_SEARCHED) ?? NO_BODY;
      const waiting = waitingOf(job);
      const isWhole = jobs.add(waiting, withFacts(job, job.texts), body);
      if (!isWhole) {
        const texts = job.credentials?.() ?? [];
        if (texts.length > 0) credentials.add(waiting, withFacts(job, texts), NO_BODY);
      }
      if (!this.#isAwake) this.#wakeSoon();
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

  #wakeSoon(): void {
    this.#gathering ??= setTimeout(() => this.#wake(), GATHER_MS);
  }

  #wake(): void {
    this.#gathering = undefined;
    clearTimeout(this.#idle);
    try {
      this.#worker ??= this.#start();
      this.#worker.ref();
      this.#isAwake = true;
      this.#worker.postMessage({ nowMs: this.#options.now() } satisfies WakeUp);
    } catch (error) {
      this.#failed(error);
    }
  }

  #start(): Worker {
    const { keys, site } = this.#options;
    const { credentials, jobs } = this.#queues!;
    const data: VerifierData = { keys, site, rooms: [credentials.shared, jobs.shared] };
    const worker = new Worker(siblingModule(import.meta.url, 'verify-worker'), {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: OLD_GENERATION_MB },
    });
    worker.on('message', (progress: Progress) => {
      if (this.#worker === worker) this.#answered(progress);
    });
    worker.on('error', (error) => this.#worker === worker && this.#failed(error));
    worker.on('exit', () => this.#worker === worker && this.#failed('the thread has ended'));
    return worker;
  }

  #answered({ isDone, found, repeats, uncheckedCandidates }: Progress): void {
    const { credentials, jobs } = this.#queues!;
    credentials.report(found[0]!);
    jobs.report(found[1]!);
    if (repeats > 0 || uncheckedCandidates > 0) {
      this.#options.onUnchecked({ repeats, candidates: uncheckedCandidates });
    }
    if (!isDone) return;
    this.#isAwake = false;
    if (!credentials.isEmpty || !jobs.isEmpty) {
      // It came while the thread fell asleep.
      this.#wakeSoon();
      return;
    }
    this.#resolveIdle();
    this.#worker?.unref();
    this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
  }

  #isIdle(): boolean {
    return !this.#isAwake && this.#gathering === undefined;
  }

  #resolveIdle(): void {
    this.#whenIdle?.resolve();
    this.#whenIdle = undefined;
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
    this.#isAwake = false;
    this.#options.onError(error);
    // The requests of credentials were counted when there was no room for them.
    this.#queues?.credentials.giveUp();
    const lost = this.#queues?.jobs.giveUp() ?? 0;
    if (lost > 0) this.#options.onUnchecked({ requests: lost });
    this.#resolveIdle();
  }
}

function waitingOf(job: Job): Waiting {
  return {
    source: job.source,
    done: (sightings) => {
      if (sightings === undefined) job.onClean?.();
      else if (sightings.length > 0) job.onFound(sightings);
    },
  };
}

/** What the thread has to know of a request, as three lines before its texts. */
function withFacts(
  { source, mcpClient = '', coding = '' }: Job,
  texts: readonly string[],
): string[] {
  return [source, mcpClient, coding, ...texts];
}
