/**
 * Limits the event lines that one source can cause: so many at once, then a few a second. Old sources
 * are forgotten, so that many of them cost no memory; all together are limited elsewhere.
 */
import { type Client, sourceOf } from '../core/http/client-address.ts';

const BURST = 300;
const PER_SECOND = 2;
/** In each of two generations. */
const MAX_SOURCES = 8_192;

interface Filling {
  left: number;
  atMs: number;
}

export class SourceLimit {
  readonly #now: () => number;
  readonly #burst: number;
  #current = new Map<string, Filling>();
  #former = new Map<string, Filling>();

  constructor(now: () => number, burst = BURST) {
    this.#now = now;
    this.#burst = burst;
  }

  /** Whether this source may cause another line. */
  take(source: string): boolean {
    const now = this.#now();
    let filling = this.#current.get(source);
    if (filling === undefined) {
      filling = this.#former.get(source) ?? { left: this.#burst, atMs: now };
      if (this.#current.size >= MAX_SOURCES) {
        this.#former = this.#current;
        this.#current = new Map();
      }
      this.#current.set(source, filling);
    }
    const sinceMs = Math.max(0, now - filling.atMs);
    filling.left = Math.min(this.#burst, filling.left + (sinceMs / 1_000) * PER_SECOND);
    filling.atMs = now;
    if (filling.left < 1) return false;
    filling.left--;
    return true;
  }
}

/** As sources are limited everywhere: an IPv4 address, or an IPv6 /64. */
export function sourceOfClient({ address }: Client): string {
  return address.family === 4 ? address.text : sourceOf(address.text);
}
