/** The embedder on this machine: a queue before the process that runs the model. */
import { type ChildProcess, fork } from 'node:child_process';
import { siblingModule } from '../../../core/sibling-module.ts';
import {
  type Embedder,
  EmbeddingError,
  type EmbeddingModel,
  type EmbedOptions,
} from '../model/embedder.ts';
import type { ModelMessage, ModelRequest } from './model-protocol.ts';

interface Job {
  readonly text: string;
  readonly isUrgent: boolean;
  resolve(vector: Float32Array): void;
  reject(error: Error): void;
}

const PROCESS = siblingModule(import.meta.url, 'model-worker');
const MAX_QUEUED = 64;
/** Large blocks go back to the system when they are freed; without it 100 MB stay resident. */
const MEMORY = { MALLOC_MMAP_THRESHOLD_: '131072' };

/**
 * One text at a time is with the model, so that an urgent one waits for at most one other. The
 * process starts on demand, again after it has ended, and does not keep the server alive.
 */
export class LocalEmbedder implements Embedder {
  readonly batchSize = 16;
  readonly #folder: string | undefined;
  #process: Promise<Started> | undefined;
  #queue: Job[] = [];
  #running: Job | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  async model(): Promise<EmbeddingModel> {
    return (await this.#started()).model;
  }

  embed(
    texts: readonly string[],
    { signal, isUrgent = false }: EmbedOptions,
  ): Promise<Float32Array[]> {
    return Promise.all(texts.map((text) => this.#enqueue(text, isUrgent, signal)));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#failAll(new EmbeddingError('busy', 'the server is stopping'));
    await this.kill();
  }

  /** The next text starts another process. */
  async kill(): Promise<void> {
    const started = await this.#process?.catch(() => undefined);
    started?.process.kill('SIGKILL');
  }

  #enqueue(text: string, isUrgent: boolean, signal: AbortSignal): Promise<Float32Array> {
    signal.throwIfAborted();
    if (this.#queue.length >= MAX_QUEUED) {
      return Promise.reject(new EmbeddingError('busy', 'too many texts wait for the model'));
    }
    return new Promise((resolve, reject) => {
      const job: Job = { text, isUrgent, resolve, reject };
      const place = isUrgent ? this.#queue.findIndex((other) => !other.isUrgent) : -1;
      this.#queue.splice(place === -1 ? this.#queue.length : place, 0, job);
      const drop = () => {
        this.#queue = this.#queue.filter((other) => other !== job);
        reject(signal.reason);
      };
      signal.addEventListener('abort', drop, { once: true });
      void this.#next();
    });
  }

  async #next(): Promise<void> {
    if (this.#running !== undefined) return;
    const job = this.#queue.shift();
    if (job === undefined) return;
    this.#running = job;
    try {
      const { process } = await this.#started();
      keepAlive(process, true);
      const request: ModelRequest = { id: ++this.#lastId, text: job.text };
      process.send(request);
    } catch (error) {
      this.#running = undefined;
      job.reject(error as Error);
      void this.#next();
    }
  }

  #started(): Promise<Started> {
    if (this.#isClosed) return Promise.reject(new EmbeddingError('busy', 'the server is stopping'));
    this.#process ??= start(
      this.#folder,
      (message) => this.#receive(message),
      () => this.#ended(),
    );
    return this.#process;
  }

  #receive(message: ModelMessage): void {
    const job = this.#running;
    if (!('id' in message) || job === undefined || message.id !== this.#lastId) return;
    this.#running = undefined;
    void this.#process?.then(({ process }) => keepAlive(process, this.#running !== undefined));
    if ('vector' in message) job.resolve(message.vector);
    else job.reject(new EmbeddingError('refused', `the model cannot read it: ${message.problem}`));
    void this.#next();
  }

  #ended(): void {
    this.#process = undefined;
    this.#failAll(new EmbeddingError('busy', 'the process of the model ended'));
  }

  #failAll(error: EmbeddingError): void {
    const jobs = [...(this.#running ? [this.#running] : []), ...this.#queue];
    this.#running = undefined;
    this.#queue = [];
    for (const { reject } of jobs) reject(error);
  }
}

interface Started {
  readonly process: ChildProcess;
  readonly model: EmbeddingModel;
}

/** The server stays alive for the process only while it waits for an answer. */
function keepAlive(child: ChildProcess, isWaitedFor: boolean): void {
  const method = isWaitedFor ? 'ref' : 'unref';
  child[method]();
  child.channel?.[method]();
}

/** Our environment holds passwords: the process gets none of it. */
function start(
  folder: string | undefined,
  receive: (message: ModelMessage) => void,
  ended: () => void,
): Promise<Started> {
  const child = fork(PROCESS, folder === undefined ? [] : [folder], {
    env: { PATH: process.env.PATH, ...MEMORY },
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    const fail = (message: string) => reject(new EmbeddingError('busy', message));
    child.on('error', (error) => {
      fail(error.message);
      ended();
    });
    child.on('exit', (code, signal) => {
      fail(`the process of the model ended with ${signal ?? `code ${code}`}`);
      ended();
    });
    child.on('message', (message: ModelMessage) => {
      if ('ready' in message) {
        keepAlive(child, false);
        resolve({ process: child, model: message.ready });
      }
      if ('failed' in message) fail(`the model cannot be loaded: ${message.failed}`);
      if ('id' in message) receive(message);
    });
  });
}
