/**
 * Finds honeytokens in a request: URL, header values, cookies, base64 credentials as in Basic, and
 * bodies. It runs before authentication and never changes the response, so that a client with a
 * stolen token does not learn that it was recognised.
 *
 * An ordinary request costs one search per long header value. Cryptography runs only on values with
 * the shape of a token, and on a bounded number of them.
 */
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ACCESS_KEY_PREFIX, type Honeytokens, type Opened } from '../tokens/honeytoken.ts';

export interface Sighting {
  /** `header authorization`, `basic`, `cookie`, `url` or `body`. */
  readonly where: string;
  /** SHA-256 of the token, in hexadecimal. The token itself is never kept. */
  readonly hash: string;
  /** Absent for an `api_key`, which says no more than its id. */
  readonly opened?: Opened;
  /** The id of an `sk_live_honeypot<id>` key. */
  readonly apiKeyId?: string;
}

export const MAX_BODY_SEARCHED = 64 * 1024;
const MAX_CANDIDATES = 32;
const MIN_LENGTH = 'sk_live_honeypot1'.length;
const MAX_DEPTH = 32;
/**
 * A token without a prefix stands alone, or behind the escape of a character that is written with
 * letters and digits: `%3A`, also if its `%` was encoded again, and `\n` or `\u003a` of JSON.
 */
const TOKEN =
  /hp_live_[a-z2-7]{32}|(?<=^|[^A-Za-z0-9]|%(?:25){0,3}[0-9A-Fa-f]{2}|\\[bfnrt]|\\u[0-9A-Fa-f]{4})[a-z2-7]{32}(?![A-Za-z0-9])|AKIA[A-Z2-7]{16}|sk_live_honeypot[0-9]{1,15}/g;
const API_KEY = 'sk_live_honeypot';
const RUN = 32;
const IS_BASE32 = new Uint8Array(128);
for (const character of 'abcdefghijklmnopqrstuvwxyz234567') IS_BASE32[character.charCodeAt(0)] = 1;
const ASCII_ESCAPE = /%[0-7][0-9a-f]/gi;
const MASK = '[honeytoken]';
/** A scheme and what may be base64: nobody knows every scheme that encodes as Basic does. */
const ENCODED = /^([A-Za-z][A-Za-z0-9-]*)[ \t]+(.+)$/;
const BASIC = /^basic$/i;
const AUTHORIZATION = /authorization$/i;
const NONE: readonly Sighting[] = [];

/** The searched parts; `rawHeaders` alternates names and values. */
export type Searched = Pick<IncomingMessage, 'url' | 'rawHeaders'>;

export class Detector {
  readonly #tokens: Honeytokens;
  readonly #now: () => number;

  constructor(tokens: Honeytokens, now: () => number) {
    this.#tokens = tokens;
    this.#now = now;
  }

  /** In the line and the headers of a request, but for tokens where they are expected. */
  inRequest(
    { url = '', rawHeaders }: Searched,
    isExpected?: (sighting: Sighting) => boolean,
  ): readonly Sighting[] {
    const found: [where: string, text: string][] = [];
    const target = url.includes('%') ? decoded(url) : url;
    if (mayHold(target)) found.push(['url', target]);
    for (let at = 1; at < rawHeaders.length; at += 2) {
      const value = rawHeaders[at]!;
      if (value.length < MIN_LENGTH) continue;
      const name = rawHeaders[at - 1]!;
      if (mayHold(value)) found.push([placeOfHeader(name), value]);
      const encoded = ENCODED.exec(value);
      if (encoded === null) continue;
      const isBasic = BASIC.test(encoded[1]!);
      if (!isBasic && !AUTHORIZATION.test(name)) continue;
      const text = Buffer.from(encoded[2]!, 'base64').toString('latin1');
      if (mayHold(text)) found.push([isBasic ? 'basic' : placeOfHeader(name), text]);
    }
    return found.length === 0 ? NONE : this.#open(found, isExpected);
  }

  /** In a body as some parser left it: text, bytes or an object. */
  inBody(body: unknown): readonly Sighting[] {
    const found: [where: string, text: string][] = [];
    gather(bodyValue(body), found, { left: MAX_BODY_SEARCHED }, 0);
    return found.length === 0 ? NONE : this.#open(found);
  }

  #open(
    texts: readonly [where: string, text: string][],
    isExpected?: (sighting: Sighting) => boolean,
  ): Sighting[] {
    const sightings: Sighting[] = [];
    /** Each candidate's content until it is reported: a token is reported once. */
    const candidates = new Map<string, Opened | undefined>();
    let hasApiKey = false;
    for (const [where, text] of texts) {
      for (const [token] of text.matchAll(TOKEN)) {
        if (token.startsWith(API_KEY)) {
          if (!hasApiKey) sightings.push(apiKeySighting(where, token));
          hasApiKey = true;
          continue;
        }
        if (!candidates.has(token)) {
          if (candidates.size >= MAX_CANDIDATES) continue;
          candidates.set(token, this.#tokens.open(token, this.#now()));
        }
        const opened = candidates.get(token);
        if (opened === undefined) continue;
        const sighting = { where, hash: hash('sha256', token), opened };
        if (isExpected?.(sighting)) continue;
        sightings.push(sighting);
        candidates.set(token, undefined);
      }
    }
    return sightings;
  }
}

/** Anybody can make one up, so at most one is reported per request. */
function apiKeySighting(where: string, token: string): Sighting {
  return { where, hash: hash('sha256', token), apiKeyId: token.slice(API_KEY.length) };
}

/** Replaces everything with the shape of a token, also percent-encoded, for the log. */
export function maskTokens(text: string): string {
  if (text.length < MIN_LENGTH) return text;
  const plain = text.includes('%') ? decoded(text) : text;
  return mayHold(plain) ? plain.replace(TOKEN, MASK) : text;
}

/** How many whole tokens a text holds, by their shape. */
export function countTokens(text: string): number {
  return text.match(TOKEN)?.length ?? 0;
}

/** A fast check that almost every text fails. */
function mayHold(text: string): boolean {
  if (text.length < MIN_LENGTH) return false;
  return text.includes('_live_') || text.includes(ACCESS_KEY_PREFIX) || hasLongRun(text);
}

/** Whether there are 32 consecutive base32 characters; skips ahead as Boyer-Moore does. */
function hasLongRun(text: string): boolean {
  for (let end = RUN - 1; end < text.length; ) {
    let at = end;
    while (at > end - RUN && IS_BASE32[text.charCodeAt(at)] === 1) at--;
    if (at === end - RUN) return true;
    end = at + RUN;
  }
  return false;
}

function placeOfHeader(name: string): string {
  const lower = name.toLowerCase();
  return lower === 'cookie' ? lower : `header ${lower}`;
}

/** With an invalid escape, decodes the ASCII escapes only: a token has no others. */
function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target.replace(ASCII_ESCAPE, decodeURIComponent);
  }
}

function bodyValue(body: unknown): unknown {
  if (body instanceof URLSearchParams) return [...body].flat();
  if (!(body instanceof Uint8Array)) return body;
  return Buffer.from(body.subarray(0, MAX_BODY_SEARCHED)).toString('latin1');
}

/** Collects the strings of a body that may contain a token, within the budget. */
function gather(
  value: unknown,
  found: [where: string, text: string][],
  budget: { left: number },
  depth: number,
): void {
  if (budget.left <= 0 || depth > MAX_DEPTH) return;
  if (typeof value === 'string') {
    const text = value.length > budget.left ? value.slice(0, budget.left) : value;
    if (mayHold(text)) found.push(['body', text]);
    budget.left -= value.length;
  } else if (typeof value === 'object' && value !== null) {
    const fields = value as Readonly<Record<string, unknown>>;
    for (const key in fields) {
      gather(fields[key], found, budget, depth + 1);
      if (!Array.isArray(value)) gather(key, found, budget, depth + 1);
    }
  }
  budget.left--;
}
