/** The notes that the history does not have as they are, and why; each until it is committed. */
import type { Log } from '../../core/log/log.ts';

export class LeftOut {
  readonly #log: Log;
  readonly #reasons = new Map<string, string>();

  constructor(log: Log) {
    this.#log = log;
  }

  add(reasons: ReadonlyMap<string, string>): void {
    if (reasons.size === 0) return;
    this.#log.warn('git_left_out', { message: sentence(reasons) });
    for (const [path, reason] of reasons) this.#reasons.set(path, reason);
  }

  remove(path: string): void {
    this.#reasons.delete(path);
  }

  message(): string | null {
    return this.#reasons.size === 0 ? null : sentence(this.#reasons);
  }
}

function sentence(reasons: ReadonlyMap<string, string>): string {
  const [path, reason] = [...reasons][0]!;
  const more = reasons.size > 1 ? ` and ${reasons.size - 1} more` : '';
  return `the history is without "${path}"${more}: ${reason}`;
}
