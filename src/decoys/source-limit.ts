/**
 * Limits the event lines that one source can cause: so many at once, then a few a second. A table of
 * fixed size holds all sources: a million of them cost no memory, and two that share a place share
 * their lines. Nobody can choose a place: they depend on a random number.
 */
import { randomBytes } from 'node:crypto';
import { type Client, sourceOf } from '../core/http/client-address.ts';

const BURST = 300;
const PER_SECOND = 2;
const PLACES = 65_536;

export class SourceLimit {
  readonly #now: () => number;
  readonly #burst: number;
  readonly #seed = randomBytes(4).readInt32LE();
  /** How many lines of the burst are used up, and when that was so. */
  readonly #used = new Float64Array(PLACES);
  readonly #atMs = new Float64Array(PLACES);

  constructor(now: () => number, burst = BURST) {
    this.#now = now;
    this.#burst = burst;
  }

  /** Whether this source may cause another line. */
  take(source: string): boolean {
    const place = placeOf(source, this.#seed);
    const now = this.#now();
    const sinceMs = Math.max(0, now - this.#atMs[place]!);
    const used = Math.max(0, this.#used[place]! - (sinceMs / 1_000) * PER_SECOND);
    const isAllowed = used + 1 <= this.#burst;
    this.#used[place] = isAllowed ? used + 1 : used;
    this.#atMs[place] = now;
    return isAllowed;
  }
}

function placeOf(source: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < source.length; at++)
    hash = Math.imul(hash ^ source.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 16)) & (PLACES - 1);
}

/** As sources are limited everywhere: an IPv4 address, or an IPv6 /64. */
export function sourceOfClient({ address }: Client): string {
  return address.family === 4 ? address.text : sourceOf(address.text);
}
