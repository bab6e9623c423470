/**
 * Refuses answers that the redactor could not read, whatever secrets it knows.
 *
 * Stops two attacks. A part of a body ends in the middle of a secret: the model cannot ask for
 * one by a header, so an upstream that sends one was asked in a way that we do not know. A status
 * of 206 is a part, whatever else the answer says, unless its `Content-Range` counts in other units
 * than bytes: the pages of PostgREST and Heroku hold whole items, and pass. And a body in UTF-7 or
 * EBCDIC holds none of the bytes that the redactor looks for: a charset must write ASCII as ASCII,
 * or be UTF-16, which the redactor knows.
 */
import { memoize } from '../../core/memoize.ts';
import { Refusal } from '../request/refusal.ts';
import { headerOf, type UpstreamResponse } from './exchange.ts';

export function refuseUnredactable(response: UpstreamResponse): void {
  const range = headerOf(response, 'content-range') ?? '';
  const type = headerOf(response, 'content-type') ?? '';
  const isPart = response.status === 206 && !OTHER_UNITS.test(range);
  if (isPart || SOME_BYTES.test(range) || PARTS_OF_BYTES.test(type)) {
    throw new Refusal(
      'upstream_error',
      'the upstream sent a part of its answer, which is withheld; ask for all of it',
    );
  }
  if (!isInLegibleCharset(type)) {
    throw new Refusal(
      'upstream_error',
      'the answer is in a charset that cannot be redacted, and is withheld; ask for UTF-8',
    );
  }
}

// Not a range of `*`, which stands in a refusal to send a part: RFC 9110, section 14.4.
const SOME_BYTES = /(?:^|,)\s*bytes\b(?!\s*\*)/i;
const OTHER_UNITS = /^\s*(?!bytes\b)\S/i;
const PARTS_OF_BYTES = /multipart\/byteranges/i;

const isInLegibleCharset = memoize((type) => charsetsIn(type).every(isLegible));

function charsetsIn(type: string): string[] {
  const found = type.matchAll(/charset\*?\s*=\s*"?([^\s";,]+)/gi);
  return Array.from(found, ([, label]) => label!.toLowerCase().replace(SINGLE_QUOTES, '$1'));
}

/** Servers write them, though the standard knows double ones alone. */
const SINGLE_QUOTES = /^'([^']*)'$/;

/** Every encoding of the web writes ASCII as ASCII, but for UTF-16 and one with escapes. */
function isLegible(label: string): boolean {
  if (PLAIN.has(label)) return true;
  try {
    return new TextDecoder(label).encoding !== 'iso-2022-jp';
  } catch {
    return false;
  }
}

/** The usual one, which needs no decoder to be asked, and some that upstreams invented. */
const PLAIN: ReadonlySet<string> = new Set(['utf-8', 'utf8mb4', 'latin-1', 'binary']);
