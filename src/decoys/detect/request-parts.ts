/**
 * What of a request has to be searched for honeytokens. It is decided on the main thread, for every
 * request: an ordinary one has nothing, and whatever a stranger sends costs a few microseconds.
 *
 * What cannot be told quickly goes to the search unread. The parts travel as one text: a line with the place, a line
 * with the text, since neither of them can hold a line break.
 */
import type { IncomingMessage } from 'node:http';
import { MIN_TOKEN_LENGTH, mayHoldToken, mayHoldTokenBytes } from '../../core/honeytokens/shape.ts';
import type { Part } from './search.ts';

/** The searched parts; `rawHeaders` alternates names and values. */
export type Searched = Pick<IncomingMessage, 'url' | 'rawHeaders'>;

/** How many characters of a request are looked at on the main thread. */
const MAX_LOOKED_AT = 2_048;
/**
 * How many fields of a request are searched, which is more than any client sends; of others, the first
 * of each name that carries credentials. A request with thousands would cost more to search than to
 * answer.
 */
const MAX_FIELDS = 64;
const MAX_FIELDS_OF_CREDENTIAL = 16;
const CREDENTIALS = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-api-key',
  'api-key',
  'x-auth-token',
  'private-token',
  'mcp-session-id',
];
/** By the length of a name, the credentials of that length. */
const CREDENTIALS_OF_LENGTH = Array.from({ length: 32 }, (_, length) =>
  CREDENTIALS.filter((name) => name.length === length),
);
const MAX_SHORT_CREDENTIALS = 4;
const MAX_SHORT = 512;
const MAX_KNOWN = 512;
const MAX_KNOWN_LENGTH = 1_024;

const URL_PLACE = ':url';
const NAME_PLACE = ':name';
const TRAILER = ':trailer ';
/** A scheme and what may be base64: nobody knows every scheme that encodes as Basic does. */
const BASIC = /^basic[ \t]/i;

/** Texts in which the search has found nothing: tokens of honest clients come again and again. */
export class KnownTexts {
  readonly #known = new Set<string>();
  /**
   * The fields of the last request that had nothing to be searched. A client sends the same fields with
   * every request: to compare them costs 0.3 µs, to look at them 2.6 µs, and all that decoys cost an
   * ordinary call may be 3 µs.
   */
  lastClean: readonly string[] = [];

  has(text: string): boolean {
    return text.length <= MAX_KNOWN_LENGTH && this.#known.has(text);
  }

  /** Of suspicious parts the first: the others were not looked at. */
  addFirst(parts: string): void {
    const start = parts.indexOf('\n') + 1;
    this.#add(parts.slice(start, parts.indexOf('\n', start)));
  }

  addBody(body: Uint8Array): void {
    if (body.length <= MAX_KNOWN_LENGTH) this.#add(Buffer.from(body).toString('latin1'));
  }

  #add(text: string): void {
    if (text.length > MAX_KNOWN_LENGTH) return;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.add(text);
  }
}

/**
 * The empty text where there is nothing to be searched. What follows the first suspicious text is
 * searched unread: the request has to be searched anyway, and to look at 64 fields takes 20 µs.
 */
export function suspiciousParts({ url = '', rawHeaders }: Searched, known: KnownTexts): string {
  let left = MAX_LOOKED_AT;
  const isSuspicious = (text: string): boolean => {
    if (text.length < MIN_TOKEN_LENGTH) return false;
    left -= text.length;
    return left < 0 || (mayHoldToken(text) && !known.has(text));
  };
  const end = Math.min(rawHeaders.length, 2 * MAX_FIELDS);
  if (rawHeaders.length > end) {
    return part(URL_PLACE, url) + fieldParts(0, end, rawHeaders) + credentialsFrom(end, rawHeaders);
  }
  if (isSuspicious(url)) return part(URL_PLACE, url) + fieldParts(0, end, rawHeaders);
  const { lastClean } = known;
  for (let at = 0; at < end; at += 2) {
    const name = rawHeaders[at]!;
    const value = rawHeaders[at + 1]!;
    if (value === lastClean[at + 1] && name === lastClean[at]) continue;
    if (isSuspicious(value)) return fieldParts(at, end, rawHeaders);
    if (isSuspicious(name)) {
      return part(NAME_PLACE, name) + part(name, value) + fieldParts(at + 2, end, rawHeaders);
    }
  }
  known.lastClean = rawHeaders;
  return '';
}

function part(place: string, text: string): string {
  return text.length < MIN_TOKEN_LENGTH ? '' : `${place}\n${text}\n`;
}

function fieldParts(first: number, end: number, rawHeaders: readonly string[]): string {
  let parts = '';
  for (let at = first; at < end; at += 2) {
    const name = rawHeaders[at]!;
    const value = rawHeaders[at + 1]!;
    parts += part(name, value) + part(NAME_PLACE, name);
  }
  return parts;
}

/**
 * The credentials that a request presents, for when there is no time for more: of the fields that are
 * searched, short ones. A token with as much around it opens nothing where it is presented.
 */
export function shortCredentials({ rawHeaders }: Searched): string {
  let parts = '';
  let count = 0;
  const end = Math.min(rawHeaders.length, 2 * MAX_FIELDS);
  for (let at = 0; at < end && count < MAX_SHORT_CREDENTIALS; at += 2) {
    const name = rawHeaders[at]!;
    const value = rawHeaders[at + 1]!;
    if (value.length > MAX_SHORT || credentialNamed(name) === undefined) continue;
    if (!mayHoldToken(value)) continue;
    parts += `${name}\n${value}\n`;
    count++;
  }
  return parts;
}

function credentialsFrom(first: number, rawHeaders: readonly string[]): string {
  let parts = '';
  const counts = new Map<string, number>();
  for (let at = first; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    const credential = credentialNamed(name);
    if (credential === undefined) continue;
    const count = (counts.get(credential) ?? 0) + 1;
    counts.set(credential, count);
    if (count <= MAX_FIELDS_OF_CREDENTIAL) parts += `${name}\n${rawHeaders[at + 1]!}\n`;
  }
  return parts;
}

function credentialNamed(name: string): string | undefined {
  for (const credential of CREDENTIALS_OF_LENGTH[name.length] ?? []) {
    if (isNamed(name, credential)) return credential;
  }
  return undefined;
}

/** In any letter case. To make a thousand names lower case costs more than all else of a request. */
function isNamed(name: string, lowerCase: string): boolean {
  for (let at = 0; at < lowerCase.length; at++) {
    if ((name.charCodeAt(at) | 0x20) !== lowerCase.charCodeAt(at)) return false;
  }
  return true;
}

/** Whether all fields of a request are searched. */
export function isSearchedWhole({ rawHeaders }: Searched): boolean {
  return rawHeaders.length <= 2 * MAX_FIELDS;
}

/** The trailers of a body that came in chunks (RFC 9112, section 7.1.2). */
export function suspiciousTrailers(rawTrailers: readonly string[], known: KnownTexts): string {
  if (rawTrailers.length === 0) return '';
  const renamed = rawTrailers.map((text, at) => (at % 2 === 0 ? TRAILER + text : text));
  return suspiciousParts({ url: '', rawHeaders: renamed }, known);
}

/** Whether a short body can be told to hold no token; a long one is searched elsewhere. */
export function isPlainBody(body: Uint8Array, known: KnownTexts): boolean {
  if (body.length < MIN_TOKEN_LENGTH) return true;
  if (body.length > MAX_LOOKED_AT) return false;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  return !mayHoldTokenBytes(bytes) || known.has(bytes.toString('latin1'));
}

/** The texts of `suspiciousParts`, with the names of their places. */
export function partsOf(text: string): Part[] {
  const lines = text.split('\n');
  const parts: Part[] = [];
  for (let at = 1; at < lines.length; at += 2) {
    parts.push({ where: placeOf(lines[at - 1]!, lines[at]!), text: lines[at]! });
  }
  return parts;
}

function placeOf(name: string, value: string): string {
  if (name === URL_PLACE) return 'url';
  if (name === NAME_PLACE) return 'header name';
  const lower = name.toLowerCase();
  if (lower.startsWith(TRAILER)) return lower.slice(1);
  if (lower === 'cookie') return lower;
  if (lower.endsWith('authorization') && BASIC.test(value)) return 'basic';
  return `header ${lower}`;
}
