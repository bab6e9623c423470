import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { siblingModule } from '../../../core/sibling-module.ts';
import { isNote } from '../../files/vault-path.ts';
import type { PreparedFile } from '../content/prepared-file.ts';
import { YOUNG_GENERATION_MB } from '../threads/worker-link.ts';
import type { ChangedFile } from './disk-difference.ts';

/** The words of a new note are computed ahead; of an indexed one only a few sections are written. */
export type FileToPrepare = readonly [path: string, withWords: boolean];

/** Prepared files by path; null for one that is gone. */
export type PreparedGroup = readonly (readonly [path: string, prepared: PreparedFile | null])[];

const GROUP_FILES = 64;
const MAX_GROUPS_AHEAD = 16;
/**
 * A prepared note with its words takes several times its size in memory, in both threads, and what
 * waits is copied by every garbage collection meanwhile.
 */
const GROUP_BYTES = 64 * 1024;
const MAX_BYTES_AHEAD = 4 * GROUP_BYTES;

/**
 * A thread that reads and parses files ahead of the thread that writes the index, so that a build
 * uses two processors. Files and bytes in flight are bounded.
 */
export class PrepareThread {
  readonly #worker: Worker;
  /** Subscribed from the start, so that an early failure of the thread is not lost. */
  readonly #groups: AsyncIterable<[PreparedGroup]>;
  /** The bytes of each group in flight, and their sum. */
  readonly #ahead: number[] = [];
  #bytesAhead = 0;
  #sent = 0;

  constructor(root: string) {
    this.#worker = new Worker(siblingModule(import.meta.url, 'prepare-worker'), {
      workerData: root,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#groups = on(this.#worker, 'message') as AsyncIterable<[PreparedGroup]>;
  }

  /** Starts on the files found so far, while the search continues. */
  begin(files: readonly ChangedFile[]): void {
    while (files.length - this.#sent >= GROUP_FILES && this.#hasCapacity()) this.#send(files);
  }

  async *prepared(files: readonly ChangedFile[]): AsyncGenerator<PreparedGroup> {
    if (files.length === 0) return;
    const send = () => {
      while (this.#sent < files.length && this.#hasCapacity()) this.#send(files);
    };
    send();
    let received = 0;
    for await (const [group] of this.#groups) {
      this.#bytesAhead -= this.#ahead.shift() ?? 0;
      send();
      received += group.length;
      yield group;
      if (received === files.length) return;
    }
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #hasCapacity(): boolean {
    return this.#ahead.length < MAX_GROUPS_AHEAD && this.#bytesAhead < MAX_BYTES_AHEAD;
  }

  #send(files: readonly ChangedFile[]): void {
    const group: FileToPrepare[] = [];
    let bytes = 0;
    while (this.#sent < files.length && group.length < GROUP_FILES && bytes < GROUP_BYTES) {
      const { path, size, isIndexed } = files[this.#sent++]!;
      group.push([path, !isIndexed]);
      if (isNote(path)) bytes += size;
    }
    this.#worker.postMessage(group);
    this.#ahead.push(bytes);
    this.#bytesAhead += bytes;
  }
}
