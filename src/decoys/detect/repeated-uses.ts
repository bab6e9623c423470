/**
 * Which uses of a honeytoken are written. A use by a source that has not used this token within ten
 * minutes always is; a few more tell what the source tries, and what follows is counted.
 */
import type { Sighting } from './search.ts';

const WINDOW_MS = 10 * 60_000;
/** Of one token from one source. */
const MAX_PER_TOKEN = 16;
/** Of all tokens from one source, beyond the first use of each. */
const MAX_MORE = 64;
/** In each of two generations. */
const MAX_KEPT = 8_192;

export class RepeatedUses {
  #current = new Map<string, number>();
  #former = new Map<string, number>();
  #endsMs = 0;

  isFresh({ hash, opened }: Sighting, source: string, nowMs: number): boolean {
    // Anybody can make up the others, and they are limited as every event is.
    if (opened === undefined) return true;
    if (nowMs >= this.#endsMs || nowMs < this.#endsMs - WINDOW_MS) this.#begin(nowMs);
    if (this.#current.size >= MAX_KEPT) this.#rotate();
    const uses = this.#count(`${hash} ${source}`);
    if (uses === 1) return true;
    return uses <= MAX_PER_TOKEN && this.#count(source) <= MAX_MORE;
  }

  #count(key: string): number {
    const count = (this.#current.get(key) ?? this.#former.get(key) ?? 0) + 1;
    this.#current.set(key, count);
    return count;
  }

  #rotate(): void {
    this.#former = this.#current;
    this.#current = new Map();
  }

  #begin(nowMs: number): void {
    this.#former = new Map();
    this.#current = new Map();
    this.#endsMs = nowMs + WINDOW_MS;
  }
}
