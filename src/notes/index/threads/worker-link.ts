/** Requests to a worker thread, which fail when the thread ends. */
import { Worker } from 'node:worker_threads';
import { releaseMemory } from '../../../core/garbage.ts';
import { IndexError } from '../store/index-error.ts';
import type { IndexPlace, WorkerFailure, WorkerMessage, WorkerRequest } from './worker-protocol.ts';

export class WorkerError extends IndexError {
  readonly failure: WorkerFailure;

  constructor(failure: WorkerFailure) {
    super(failure.code, failure.message, failure.detail);
    this.failure = failure;
  }
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: IndexError): void;
  began?(): void;
}

export interface CallOptions {
  readonly transfer?: ArrayBuffer[];
  /** Called when the thread begins the request. */
  readonly began?: () => void;
}

export interface Progress {
  readonly progressOf: string;
  readonly indexed: number;
  readonly onDisk: number;
}

/**
 * Bounds the memory that a thread keeps for short-lived objects; the default is tens of megabytes.
 */
export const YOUNG_GENERATION_MB = 8;

/**
 * A worker thread that is started on demand, also again after it has ended, when its unanswered
 * requests fail. It ends after an idle time and does not keep the process alive.
 */
export class WorkerLink {
  readonly #module: URL;
  readonly #idleMs: number;
  readonly #progress: (progress: Progress) => void;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  constructor(module: URL, idleMs: number, progress: (progress: Progress) => void = () => {}) {
    this.#module = module;
    this.#idleMs = idleMs;
    this.#progress = progress;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  call(
    place: IndexPlace,
    operation: string,
    argument: unknown,
    { transfer = [], began }: CallOptions = {},
  ): Promise<unknown> {
    const worker = this.#started();
    clearTimeout(this.#idle);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, ...(began && { began }) });
      worker.ref();
      const announce = began !== undefined;
      const request: WorkerRequest = { id, place, operation, argument, announce };
      worker.postMessage(request, transfer);
    });
  }

  /** Ends the thread, even during an expression that never returns. */
  async terminate(reason: IndexError): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#failAll(reason);
    await worker?.terminate();
  }

  /** Releases the memory of an idle thread; the next request starts another. */
  endIfIdle(): void {
    if (this.#waiting.size > 0) return;
    const reason = new IndexError(
      'storage_error',
      'the index thread was stopped because it was idle; try again',
    );
    void this.terminate(reason).then(releaseMemory);
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(this.#module, {
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    worker.on('message', (message: WorkerMessage) => this.#receive(message));
    worker.on('error', (error) => this.#ended(worker, error));
    worker.on('exit', () => this.#ended(worker, undefined));
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  #receive(message: WorkerMessage): void {
    if ('progressOf' in message) {
      this.#progress(message);
      return;
    }
    if ('began' in message) {
      this.#waiting.get(message.began)?.began?.();
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (this.#waiting.size === 0) this.#rest();
    if ('failure' in message) waiting?.reject(new WorkerError(message.failure));
    else waiting?.resolve(message.result);
  }

  #rest(): void {
    this.#worker?.unref();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.endIfIdle(), this.#idleMs);
    this.#idle.unref();
  }

  #ended(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#failAll(new IndexError('storage_error', 'the index thread stopped; try again', cause));
  }

  #failAll(error: IndexError): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}
