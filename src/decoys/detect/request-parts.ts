/**
 * What of a request has to be searched for honeytokens. It is decided on the main thread, for every
 * request: an ordinary one has nothing, and whatever a stranger sends costs a few microseconds.
 *
 * What cannot be told quickly goes to the search unread, as the texts of the request: its URL, then the names and
 * values of its fields in turn. None of them can hold a line break, so that they travel as lines.
 */
import type { IncomingMessage } from 'node:http';
import { findToken, MIN_TOKEN_LENGTH, mayHoldToken } from '../../core/honeytokens/shape.ts';
import type { Part } from './search.ts';

/** The searched parts; `rawHeaders` alternates names and values. */
export type Searched = Pick<IncomingMessage, 'url' | 'rawHeaders'>;

export interface Suspicion {
  readonly texts: readonly string[];
  /** The first of them that may hold a token; the empty text where none was looked at. */
  readonly suspect: string;
}

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

const LINE_BREAK = 0x0a;
const TRAILER = ':trailer ';
/** A scheme and what may be base64: nobody knows every scheme that encodes as Basic does. */
const BASIC = /^basic[ \t]/i;

/** Texts in which the search has found nothing: tokens of honest clients come again and again. */
export class KnownTexts {
  readonly #known = new Set<string>();
  /**
   * The fields of the last request that had nothing to be searched. A client sends the same fields with
   * every request: to compare them costs 0.2 µs, to look at them 1 µs, and all that decoys cost an
   * ordinary call may be 2.4 µs.
   */
  lastClean: readonly string[] = [];

  has(text: string): boolean {
    return text.length <= MAX_KNOWN_LENGTH && this.#known.has(text);
  }

  add(text: string): void {
    if (text.length > MAX_KNOWN_LENGTH) return;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.add(text);
  }

  addBody(body: Uint8Array): void {
    if (body.length <= MAX_KNOWN_LENGTH) this.add(Buffer.from(body).toString('latin1'));
  }
}

/** The texts that are looked at, as lines. */
const looked = Buffer.allocUnsafeSlow(MAX_LOOKED_AT);

/** Undefined where there is nothing to be searched. Otherwise all of the request is: to tell texts apart takes longer. */
export function suspicionOf(
  { url = '', rawHeaders }: Searched,
  known: KnownTexts,
): Suspicion | undefined {
  const end = 2 * MAX_FIELDS;
  if (rawHeaders.length > end) {
    const texts = [url, ...rawHeaders.slice(0, end), ...credentialsFrom(end, rawHeaders)];
    return { texts, suspect: '' };
  }
  const suspect = firstSuspect(url, rawHeaders, known);
  if (suspect === undefined) {
    known.lastClean = rawHeaders;
    return undefined;
  }
  return { texts: [url, ...rawHeaders], suspect };
}

function firstSuspect(
  url: string,
  rawHeaders: readonly string[],
  known: KnownTexts,
): string | undefined {
  const { lastClean } = known;
  let length = add(url, 0);
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    const value = rawHeaders[at + 1]!;
    if (value === lastClean[at + 1] && name === lastClean[at]) continue;
    length = add(value, add(name, length));
  }
  if (length > MAX_LOOKED_AT) return '';
  for (let from = 0; ; ) {
    const at = findToken(looked, from, length);
    if (at < 0) return undefined;
    const end = looked.indexOf(LINE_BREAK, at);
    const text = looked.toString('latin1', looked.lastIndexOf(LINE_BREAK, at) + 1, end);
    if (!known.has(text)) return text;
    from = end + 1;
  }
}

/** Where the next text has its place: beyond the end where there is no room. */
function add(text: string, at: number): number {
  if (text.length < MIN_TOKEN_LENGTH) return at;
  const end = at + text.length + 1;
  if (end > MAX_LOOKED_AT) return end;
  looked.write(text, at, 'latin1');
  looked[end - 1] = LINE_BREAK;
  return end;
}

/**
 * The credentials that a request presents, for when there is no time for more: of the fields that are
 * searched, short ones. A token with as much around it opens nothing where it is presented.
 */
export function shortCredentials({ rawHeaders }: Searched): string[] {
  const texts = [''];
  const end = Math.min(rawHeaders.length, 2 * MAX_FIELDS);
  for (let at = 0; at < end && texts.length <= 2 * MAX_SHORT_CREDENTIALS; at += 2) {
    const name = rawHeaders[at]!;
    const value = rawHeaders[at + 1]!;
    if (value.length > MAX_SHORT || credentialNamed(name) === undefined) continue;
    if (mayHoldToken(value)) texts.push(name, value);
  }
  return texts.length > 1 ? texts : [];
}

function credentialsFrom(first: number, rawHeaders: readonly string[]): string[] {
  const texts: string[] = [];
  const counts = new Map<string, number>();
  for (let at = first; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    const credential = credentialNamed(name);
    if (credential === undefined) continue;
    const count = (counts.get(credential) ?? 0) + 1;
    counts.set(credential, count);
    if (count <= MAX_FIELDS_OF_CREDENTIAL) texts.push(name, rawHeaders[at + 1]!);
  }
  return texts;
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
export function suspicionOfTrailers(
  rawTrailers: readonly string[],
  known: KnownTexts,
): Suspicion | undefined {
  if (rawTrailers.length === 0) return undefined;
  const renamed = rawTrailers.map((text, at) => (at % 2 === 0 ? TRAILER + text : text));
  return suspicionOf({ url: '', rawHeaders: renamed }, known);
}

/** Whether a short body can be told to hold no token; a long one is searched elsewhere. */
export function isPlainBody(body: Uint8Array, known: KnownTexts): boolean {
  if (body.length < MIN_TOKEN_LENGTH) return true;
  if (body.length > MAX_LOOKED_AT) return false;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  return findToken(bytes, 0, bytes.length) < 0 || known.has(bytes.toString('latin1'));
}

/** Texts of a `Suspicion`, with the names of their places. */
export function partsOf([url = '', ...fields]: readonly string[]): Part[] {
  const parts: Part[] = [];
  const add = (where: string, text: string) => {
    if (text.length >= MIN_TOKEN_LENGTH) parts.push({ where, text });
  };
  add('url', url);
  for (let at = 0; at < fields.length; at += 2) {
    const [name, value] = [fields[at]!, fields[at + 1]!];
    add('header name', name);
    if (value.length >= MIN_TOKEN_LENGTH) add(placeOf(name, value), value);
  }
  return parts;
}

function placeOf(name: string, value: string): string {
  const lower = name.toLowerCase();
  if (lower.startsWith(TRAILER)) return lower.slice(1);
  if (lower === 'cookie') return lower;
  if (lower.endsWith('authorization') && BASIC.test(value)) return 'basic';
  return `header ${lower}`;
}
