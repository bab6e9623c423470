import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { PreparedFile } from './prepared-file.ts';
import { siblingModule } from './sibling-module.ts';
import { YOUNG_GENERATION_MB } from './worker-link.ts';

/** Files by path, prepared; null for one that is not there any more. */
export type PreparedGroup = readonly (readonly [path: string, prepared: PreparedFile | null])[];

const GROUP = 64;
const GROUPS_AHEAD = 6;

/**
 * A thread that reads and parses files, a little ahead of the one that writes them into the index:
 * a build then keeps two processors busy.
 */
export class PrepareThread {
  readonly #worker: Worker;
  /** Listened for from the start: a thread that fails early fails the first group. */
  readonly #groups: AsyncIterable<[PreparedGroup]>;

  constructor(root: string) {
    this.#worker = new Worker(siblingModule(import.meta.url, 'prepare-worker'), {
      workerData: root,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#groups = on(this.#worker, 'message') as AsyncIterable<[PreparedGroup]>;
  }

  async *prepared(paths: readonly string[]): AsyncGenerator<PreparedGroup> {
    let sent = 0;
    const send = () => {
      if (sent < paths.length) this.#worker.postMessage(paths.slice(sent, sent + GROUP));
      sent += GROUP;
    };
    for (let ahead = 0; ahead < GROUPS_AHEAD; ahead++) send();
    let received = 0;
    if (paths.length === 0) return;
    for await (const [group] of this.#groups) {
      send();
      received += group.length;
      yield group;
      if (received === paths.length) return;
    }
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
