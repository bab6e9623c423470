import { Worker } from 'node:worker_threads';
import { IndexError } from './index-error.ts';
import { siblingModule } from './sibling-module.ts';
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
}

export interface Progress {
  readonly progressOf: string;
  readonly indexed: number;
  readonly onDisk: number;
}

/**
 * A thread that is started when it is first needed and again after it has ended, whatever ended
 * it; the requests it had not answered fail. It never keeps the process alive by itself.
 */
export class WorkerLink {
  readonly #name: 'read-worker' | 'write-worker';
  readonly #progress: (progress: Progress) => void;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(
    name: 'read-worker' | 'write-worker',
    progress: (progress: Progress) => void = () => {},
  ) {
    this.#name = name;
    this.#progress = progress;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  call(
    place: IndexPlace,
    operation: string,
    argument: unknown,
    transfer: ArrayBuffer[] = [],
  ): Promise<unknown> {
    const worker = this.#started();
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.ref();
      const request: WorkerRequest = { id, place, operation, argument };
      worker.postMessage(request, transfer);
    });
  }

  /** Ends the thread, also in the middle of an expression that never ends. */
  async terminate(reason: IndexError): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#failAll(reason);
    await worker?.terminate();
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(siblingModule(import.meta.url, this.#name));
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
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (this.#waiting.size === 0) this.#worker?.unref();
    if ('failure' in message) waiting?.reject(new WorkerError(message.failure));
    else waiting?.resolve(message.result);
  }

  #ended(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#failAll(new IndexError('storage_error', 'the index stopped; try again', cause));
  }

  #failAll(error: IndexError): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}
