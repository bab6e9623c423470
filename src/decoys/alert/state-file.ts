/**
 * The state between two runs: how far each log was read, and the alerts that wait or were sent. Written
 * atomically, so that a crash leaves the old state or the new one.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { quote } from '../../core/config/problems.ts';
import { describeError } from '../../core/log/log.ts';
import type { QueueState } from './alert-queue.ts';
import type { LogPosition } from './log-tail.ts';

export interface SavedState {
  readonly version: 1;
  readonly positions: Readonly<Record<string, LogPosition>>;
  /** The lines of standard input that were read last. */
  readonly stdin: { readonly lastMs: number; readonly recent: readonly string[] };
  readonly queue?: QueueState;
}

const NO_STATE: SavedState = { version: 1, positions: {}, stdin: { lastMs: 0, recent: [] } };

export class StateFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Throws where the file cannot be read: an empty state would repeat every alert. */
  load(): SavedState {
    try {
      const state = JSON.parse(readFileSync(this.#path, 'utf8')) as SavedState;
      if (state.version !== 1) throw new Error('it is of another version');
      return { ...NO_STATE, ...state };
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ENOENT') return NO_STATE;
      const advice = 'repair or remove it; without it, old alerts are sent again';
      throw new Error(`${quote(this.#path)}: ${describeError(error)}; ${advice}`);
    }
  }

  save(state: SavedState): void {
    const beside = `${this.#path}.new`;
    const file = openSync(beside, 'w', 0o600);
    try {
      writeSync(file, JSON.stringify(state));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, this.#path);
  }
}
