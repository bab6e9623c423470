import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { PreparedFile } from './prepared-file.ts';
import { siblingModule } from './sibling-module.ts';
import { YOUNG_GENERATION_MB } from './worker-link.ts';

/** Files by path, prepared; null for one that is not there any more. */
export type PreparedGroup = readonly (readonly [path: string, prepared: PreparedFile | null])[];

const GROUP = 64;
const GROUPS_AHEAD = 16;

/**
 * A thread that reads and parses files, a little ahead of the one that writes them into the index:
 * a build then keeps two processors busy.
 */
export class PrepareThread {
  readonly #worker: Worker;
  /** Listened for from the start: a thread that fails early fails the first group. */
  readonly #groups: AsyncIterable<[PreparedGroup]>;
  #sent = 0;

  constructor(root: string) {
    this.#worker = new Worker(siblingModule(import.meta.url, 'prepare-worker'), {
      workerData: root,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#groups = on(this.#worker, 'message') as AsyncIterable<[PreparedGroup]>;
  }

  /** For while the files are still being found: begins with those that `paths` has so far. */
  begin(paths: readonly string[]): void {
    while (this.#sent < GROUPS_AHEAD * GROUP && paths.length - this.#sent >= GROUP) {
      this.#send(paths);
    }
  }

  async *prepared(paths: readonly string[]): AsyncGenerator<PreparedGroup> {
    while (this.#sent < GROUPS_AHEAD * GROUP && this.#sent < paths.length) this.#send(paths);
    let received = 0;
    if (paths.length === 0) return;
    for await (const [group] of this.#groups) {
      if (this.#sent < paths.length) this.#send(paths);
      received += group.length;
      yield group;
      if (received === paths.length) return;
    }
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #send(paths: readonly string[]): void {
    const group = paths.slice(this.#sent, this.#sent + GROUP);
    this.#worker.postMessage(group);
    this.#sent += group.length;
  }
}
