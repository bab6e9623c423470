import { siblingModule } from '../../../core/sibling-module.ts';
import { IndexError } from '../store/index-error.ts';
import { type Progress, WorkerLink } from '../threads/worker-link.ts';
import type { IndexPlace } from '../threads/worker-protocol.ts';
import type { ReadArgument, ReadOperations, ReadResult } from './read-operations.ts';
import type { WriteArgument, WriteOperations, WriteResultOf } from './write-worker.ts';

const READ_WORKER = siblingModule(import.meta.url, 'read-worker');
const WRITE_WORKER = siblingModule(import.meta.url, 'write-worker');
/** Longer than any page of a scan takes, except with a runaway regular expression. */
const SCAN_TIMEOUT_MS = 4000;
/** The operations that run regular expressions of the caller. */
const RUNS_EXPRESSIONS = ['grep', 'replace'];
/** A thread costs tens of megabytes; starting one takes less than 100 ms. */
const IDLE_MS = 60_000;
/** After a build of more files the thread is ended, to release its heap. */
const MANY_FILES = 1000;

/**
 * The threads behind all indexes of the process: a writer, a reader, and a scanner for whole texts
 * (grep, substrings, reviews), so that neither a build nor a runaway regular expression delays a
 * search. Each is started on demand and ended when idle.
 */
export class IndexWorkers {
  readonly #writer: WorkerLink;
  readonly #reader = new WorkerLink(READ_WORKER, IDLE_MS);
  readonly #scanner = new WorkerLink(READ_WORKER, IDLE_MS);
  readonly #listeners = new Map<string, (progress: Progress) => void>();
  readonly #scanTimeoutMs: number;
  #scanning: Promise<unknown> = Promise.resolve();

  constructor(options: { readonly scanTimeoutMs?: number } = {}) {
    this.#scanTimeoutMs = options.scanTimeoutMs ?? SCAN_TIMEOUT_MS;
    this.#writer = new WorkerLink(WRITE_WORKER, IDLE_MS, (progress) =>
      this.#listeners.get(progress.progressOf)?.(progress),
    );
  }

  write<Name extends keyof WriteOperations>(
    place: IndexPlace,
    operation: Name,
    argument: WriteArgument<Name>,
    transfer?: ArrayBuffer[],
  ): Promise<WriteResultOf<Name>> {
    const called = this.#writer.call(place, operation, argument, transfer ? { transfer } : {});
    return called as Promise<WriteResultOf<Name>>;
  }

  async build(place: IndexPlace, operation: 'build' | 'rebuild'): Promise<WriteResultOf<'build'>> {
    const result = await this.write(place, operation, undefined);
    void this.#cleanUp(place, result);
    return result;
  }

  read<Name extends keyof ReadOperations>(
    place: IndexPlace,
    operation: Name,
    argument: ReadArgument<Name>,
  ): Promise<ReadResult<Name>> {
    return this.#reader.call(place, operation, argument) as Promise<ReadResult<Name>>;
  }

  /**
   * Runs scans one at a time, each with its own timeout, so that a regular expression cannot end
   * the scan of another caller (ReDoS, CWE-1333). Other scans bound their time themselves.
   */
  scan<Name extends keyof ReadOperations>(
    place: IndexPlace,
    operation: Name,
    argument: ReadArgument<Name>,
  ): Promise<ReadResult<Name>> {
    const scanned = this.#scanning.then(() => this.#timed(place, operation, argument));
    this.#scanning = scanned.catch(() => {});
    return scanned as Promise<ReadResult<Name>>;
  }

  onProgress(place: IndexPlace, listener: (progress: Progress) => void): void {
    this.#listeners.set(place.file, listener);
  }

  /** Closes the connections to one vault. */
  async release(place: IndexPlace): Promise<void> {
    this.#listeners.delete(place.file);
    for (const link of [this.#reader, this.#scanner]) {
      if (link.isRunning) await link.call(place, 'close', undefined).catch(() => {});
    }
    if (this.#writer.isRunning) await this.#writer.call(place, 'close', undefined);
  }

  async close(): Promise<void> {
    const reason = new IndexError('storage_error', 'the server is stopping; try again');
    const links = [this.#writer, this.#reader, this.#scanner];
    await Promise.all(links.map((link) => link.terminate(reason)));
  }

  /** Runs after the build was answered; a failure is repaired by the next build. */
  async #cleanUp(place: IndexPlace, { changed, unchanged }: WriteResultOf<'build'>): Promise<void> {
    await this.write(place, 'merge', undefined).catch(() => {});
    if (changed + unchanged > MANY_FILES) this.#writer.endIfIdle();
  }

  async #timed(place: IndexPlace, operation: string, argument: unknown): Promise<unknown> {
    let timeout: NodeJS.Timeout | undefined;
    const began = () => {
      if (!RUNS_EXPRESSIONS.includes(operation)) return;
      timeout = setTimeout(() => {
        const message = 'the pattern takes too long; use a simpler one or plain text';
        void this.#scanner.terminate(new IndexError('regex_timeout', message));
      }, this.#scanTimeoutMs);
    };
    try {
      return await this.#scanner.call(place, operation, argument, { began });
    } finally {
      clearTimeout(timeout);
    }
  }
}
