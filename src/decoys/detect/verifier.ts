/**
 * Hands what may hold a honeytoken to the thread that searches it.
 *
 * The attacks: requests full of look-alikes, each of which costs cryptography, so that the server answers
 * nobody else; and a flood of them that fills the memory, or hides the use of a stolen token. So the
 * main thread copies bytes and does nothing else; what waits has a fixed room, of which one source gets at
 * most half of what the others leave; and what finds no room is counted and told.
 *
 * The thread starts with the first job and ends a minute after the last one.
 */
import { Worker } from 'node:worker_threads';
import { FairShare } from '../../core/limits/fair-share.ts';
import { siblingModule } from '../../core/sibling-module.ts';
import type { KeyBytes } from '../tokens/token-reader.ts';
import { Ring } from './ring.ts';
import type { Sighting } from './search.ts';

/** Of a body, inflated or not. */
export const MAX_BODY_SEARCHED = 64 * 1024;
const ROOM_BYTES = 8 * 1024 * 1024;
/** Each keeps a request with its headers until it is answered. */
const MAX_JOBS = 1_024;
const GATHER_MS = 5;
const IDLE_MS = 60_000;
const RESTART_AFTER_MS = 1_000;
const OLD_GENERATION_MB = 64;

export interface Job {
  /** As `suspiciousParts` gives it. */
  readonly head: string;
  readonly body?: Uint8Array;
  /** The `Content-Encoding`. */
  readonly coding?: string | undefined;
  /** Who sent it, as far as sources are limited. */
  readonly source: string;
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
  readonly now: () => number;
  readonly onUnchecked: (unchecked: Unchecked) => void;
  readonly onError: (error: unknown) => void;
  /** Less in tests. */
  readonly roomBytes?: number;
}

/** What the thread is given when it starts. */
export interface VerifierData {
  readonly keys: readonly KeyBytes[];
  readonly room: SharedArrayBuffer;
}

interface PlacedJob {
  readonly id: number;
  readonly offset: number;
  readonly headLength: number;
  readonly bodyLength: number;
  readonly coding: string | undefined;
  readonly source: string;
}

/** The properties of the jobs, column by column: to copy an object for each takes several times as long. */
export interface Batch {
  readonly nowMs: number;
  readonly ids: readonly number[];
  readonly offsets: readonly number[];
  readonly headLengths: readonly number[];
  readonly bodyLengths: readonly number[];
  readonly codings: readonly (string | undefined)[];
  readonly sources: readonly string[];
}

export interface BatchResult {
  readonly found: readonly (readonly [id: number, sightings: readonly Sighting[]])[];
  /** The jobs with a token, also with one that was told before. */
  readonly dirty: readonly number[];
  readonly repeats: number;
  readonly uncheckedCandidates: number;
}

interface Waiting {
  readonly job: Job;
  readonly placed: PlacedJob;
  readonly bytes: number;
}

export class Verifier {
  readonly #options: VerifierOptions;
  readonly #share: FairShare;
  readonly #roomBytes: number;
  #ring: Ring | undefined;
  #worker: Worker | undefined;
  #lastId = 0;
  #jobs = 0;
  #gathered: Waiting[] = [];
  #gathering: NodeJS.Timeout | undefined;
  readonly #sent: (readonly Waiting[])[] = [];
  #idle: NodeJS.Timeout | undefined;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #whenIdle: PromiseWithResolvers<void> | undefined;

  constructor(options: VerifierOptions) {
    this.#options = options;
    this.#roomBytes = options.roomBytes ?? ROOM_BYTES;
    this.#share = new FairShare(this.#roomBytes);
  }

  /** Never throws, and never waits. */
  submit(job: Job): void {
    const { head, coding, source } = job;
    const body = job.body?.subarray(0, MAX_BODY_SEARCHED);
    const bodyLength = body?.length ?? 0;
    const bytes = head.length + bodyLength;
    this.#ring ??= new Ring(this.#roomBytes);
    const offset = this.#jobs < MAX_JOBS && this.#canStart() ? this.#take(source, bytes) : -1;
    if (offset < 0) {
      this.#options.onUnchecked({ requests: 1 });
      return;
    }
    this.#ring.bytes.write(head, offset, 'latin1');
    if (body) this.#ring.bytes.set(body, offset + head.length);
    this.#jobs++;
    const headLength = head.length;
    const placed = { id: ++this.#lastId, offset, headLength, bodyLength, coding, source };
    this.#gathered.push({ job, placed, bytes });
    this.#gathering ??= setTimeout(() => this.#send(), GATHER_MS);
  }

  /** Resolves when nothing waits. */
  idle(): Promise<void> {
    if (this.#jobs === 0) return Promise.resolve();
    this.#whenIdle ??= Promise.withResolvers();
    return this.#whenIdle.promise;
  }

  /** What waits is searched first. */
  async close(): Promise<void> {
    await this.idle();
    clearTimeout(this.#idle);
    await this.#end();
  }

  #take(source: string, bytes: number): number {
    if (!this.#share.take(source, bytes)) return -1;
    const offset = this.#ring!.take(bytes);
    if (offset < 0) this.#share.giveBack(source, bytes);
    return offset;
  }

  #send(): void {
    this.#gathering = undefined;
    const gathered = this.#gathered;
    this.#gathered = [];
    clearTimeout(this.#idle);
    try {
      this.#worker ??= this.#start();
      this.#worker.ref();
      const jobs = gathered.map(({ placed }) => placed);
      this.#worker.postMessage({
        nowMs: this.#options.now(),
        ids: jobs.map(({ id }) => id),
        offsets: jobs.map(({ offset }) => offset),
        headLengths: jobs.map(({ headLength }) => headLength),
        bodyLengths: jobs.map(({ bodyLength }) => bodyLength),
        codings: jobs.map(({ coding }) => coding),
        sources: jobs.map(({ source }) => source),
      } satisfies Batch);
      this.#sent.push(gathered);
    } catch (error) {
      this.#sent.push(gathered);
      this.#failed(error);
    }
  }

  #start(): Worker {
    const data: VerifierData = { keys: this.#options.keys, room: this.#ring!.room };
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

  #answered({ found, dirty, repeats, uncheckedCandidates: candidates }: BatchResult): void {
    const batch = this.#sent.shift() ?? [];
    const sightings = new Map(found);
    const isDirty = new Set(dirty);
    for (const { job, placed } of batch) {
      const seen = sightings.get(placed.id);
      if (seen) job.onFound(seen);
      else if (!isDirty.has(placed.id)) job.onClean?.();
    }
    if (repeats > 0 || candidates > 0) this.#options.onUnchecked({ repeats, candidates });
    this.#release(batch);
    if (this.#jobs > 0) return;
    this.#worker?.unref();
    this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #canStart(): boolean {
    return performance.now() - this.#failedAtMs >= RESTART_AFTER_MS;
  }

  /** What the thread had is lost, and told. */
  #failed(error: unknown): void {
    void this.#end();
    this.#failedAtMs = performance.now();
    this.#options.onError(error);
    const lost = this.#sent.splice(0).flat();
    if (lost.length > 0) this.#options.onUnchecked({ requests: lost.length });
    this.#release(lost);
  }

  #release(batch: readonly Waiting[]): void {
    for (const { placed, bytes } of batch) {
      this.#share.giveBack(placed.source, bytes);
      this.#ring!.giveBack();
    }
    this.#jobs -= batch.length;
    if (this.#jobs > 0) return;
    this.#whenIdle?.resolve();
    this.#whenIdle = undefined;
  }
}
