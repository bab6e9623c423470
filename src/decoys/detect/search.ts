/**
 * Finds honeytokens in the parts of a request, however they are spelled. The attack: look-alikes beside a stolen
 * token, so that it is not looked at. So each place has a budget of its own, each form of token has one
 * in each place, and what is over a budget is counted.
 *
 * Every candidate costs cryptography: this runs in a thread of its own (`verify-worker.ts`).
 */
import { hash } from 'node:crypto';
import { API_KEY, MIN_TOKEN_LENGTH } from '../../core/honeytokens/shape.ts';
import { spellings } from '../../core/honeytokens/spellings.ts';
import { PREFIX, type TokenContent, type TokenReader } from '../tokens/token-reader.ts';

export interface Sighting {
  /** `header authorization`, `basic`, `cookie`, `url`, `header name`, `trailer <name>` or `body`. */
  readonly where: string;
  /** SHA-256 of the token, in hexadecimal. The token itself is never kept. */
  readonly hash: string;
  /** Absent for an `api_key`, which says no more than its id. */
  readonly opened?: TokenContent;
  /** The id of an `sk_live_honeypot<id>` key. */
  readonly apiKeyId?: string;
}

export interface Part {
  readonly where: string;
  readonly text: string;
}

export interface Findings {
  readonly sightings: readonly Sighting[];
  /** How many candidates were over a budget. */
  readonly uncheckedCandidates: number;
}

/** Of each form, in each place. */
export const MAX_CANDIDATES = 512;
/** Any letter case: what is sent may have been changed on its way. */
const CANDIDATE =
  /(hp_live_[a-z2-7]{32})|((?<=^|[^a-z0-9]|%(?:25){0,3}[0-9a-f]{2}|\\[bfnrt]|\\u[0-9a-f]{4})[a-z2-7]{32}(?![a-z0-9]))|(akia[a-z2-7]{16})|(sk_live_honeypot[0-9]{1,15})/gi;

type Form = 'long' | 'bare' | 'short' | 'api key';

/** A token is reported once, where it tells most; of the `api_key`s of a request, one is. */
export function search(parts: readonly Part[], reader: TokenReader, nowMs: number): Findings {
  const sightings: Sighting[] = [];
  const known = new Map<string, boolean>();
  let unchecked = 0;
  let hasApiKey = false;
  for (const [where, texts] of byPlace(parts)) {
    const checked: Record<Form, number> = { long: 0, bare: 0, short: 0, 'api key': 0 };
    for (const [form, token] of candidates(texts)) {
      if (form === 'api key') {
        if (!hasApiKey) {
          const apiKeyId = token.slice(API_KEY.length);
          sightings.push({ where, hash: hash('sha256', token), apiKeyId });
        }
        hasApiKey = true;
        continue;
      }
      const identity = form === 'long' ? token.slice(PREFIX.length) : token;
      if (known.has(identity)) continue;
      if (checked[form] >= MAX_CANDIDATES) {
        unchecked++;
        continue;
      }
      checked[form]++;
      const opened = reader.open(token, nowMs);
      known.set(identity, opened !== undefined);
      if (opened) sightings.push({ where, hash: hash('sha256', token), opened });
    }
  }
  return { sightings, uncheckedCandidates: unchecked };
}

/** The texts of each place, the most telling one first. */
function byPlace(parts: readonly Part[]): [where: string, texts: readonly string[]][] {
  const places = new Map<string, string[]>();
  for (const { where, text } of parts) {
    const texts = places.get(where) ?? [];
    if (texts.length === 0) places.set(where, texts);
    texts.push(text);
  }
  return [...places].sort(([one], [other]) => rank(one) - rank(other));
}

function rank(where: string): number {
  if (where === 'basic' || where.endsWith('authorization')) return 0;
  if (where === 'cookie') return 1;
  if (where === 'url') return 3;
  return where === 'body' ? 4 : 2;
}

/** In the letters in which they are issued, each once. */
function* candidates(texts: readonly string[]): Generator<[Form, string]> {
  const seen = new Set<string>();
  for (const text of texts) {
    for (const spelled of spellings(text)) {
      if (spelled.length < MIN_TOKEN_LENGTH) continue;
      for (const [found, long, bare, short] of spelled.matchAll(CANDIDATE)) {
        const token = short ? found.toUpperCase() : found.toLowerCase();
        // With or without a prefix, it is the same token.
        const identity = long ? token.slice(PREFIX.length) : token;
        if (seen.has(identity)) continue;
        seen.add(identity);
        yield [long ? 'long' : bare ? 'bare' : short ? 'short' : 'api key', token];
      }
    }
  }
}
