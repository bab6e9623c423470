import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { siblingModule } from '../../../core/sibling-module.ts';
import { isNote } from '../../files/vault-path.ts';
import type { FileStamp, PreparedFile } from '../content/prepared-file.ts';
import { YOUNG_GENERATION_MB } from '../threads/worker-link.ts';

/** Files by path, prepared; null for one that is not there any more. */
export type PreparedGroup = readonly (readonly [path: string, prepared: PreparedFile | null])[];

/** How many files are prepared at once, and how many of these groups wait to be written. */
const GROUP = 64;
const MAX_GROUPS_AHEAD = 16;
/** A prepared note takes some times its size. */
const GROUP_BYTES = 1024 * 1024;
const MAX_BYTES_AHEAD = 4 * GROUP_BYTES;

/**
 * A thread that reads and parses files, a little ahead of the one that writes them into the index:
 * a build then keeps two processors busy. How far ahead depends on how large the notes are.
 */
export class PrepareThread {
  readonly #worker: Worker;
  /** Listened for from the start: a thread that fails early fails the first group. */
  readonly #groups: AsyncIterable<[PreparedGroup]>;
  /** The bytes of each group that was sent and has not come back, and of all of them. */
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

  /** For while the files are still being found: begins with those that there are so far. */
  begin(files: readonly FileStamp[]): void {
    while (files.length - this.#sent >= GROUP && this.#hasRoom()) this.#send(files);
  }

  async *prepared(files: readonly FileStamp[]): AsyncGenerator<PreparedGroup> {
    if (files.length === 0) return;
    const send = () => {
      while (this.#sent < files.length && this.#hasRoom()) this.#send(files);
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

  #hasRoom(): boolean {
    return this.#ahead.length < MAX_GROUPS_AHEAD && this.#bytesAhead < MAX_BYTES_AHEAD;
  }

  #send(files: readonly FileStamp[]): void {
    const paths: string[] = [];
    let bytes = 0;
    while (this.#sent < files.length && paths.length < GROUP && bytes < GROUP_BYTES) {
      const { path, size } = files[this.#sent++]!;
      paths.push(path);
      if (isNote(path)) bytes += size;
    }
    this.#worker.postMessage(paths);
    this.#ahead.push(bytes);
    this.#bytesAhead += bytes;
  }
}
