/**
 * Refuses responses that cannot be redacted, whatever the secrets are.
 *
 * Prevents two ways around redaction. A partial body may begin or end within a secret: any 206 is
 * refused, unless its `Content-Range` has a unit other than bytes, such as the pages of PostgREST and
 * Heroku, which hold whole items. And a body in UTF-7 or EBCDIC contains none of the bytes that the
 * redactor searches for: a charset must encode ASCII as ASCII, or be UTF-16, which the redactor reads.
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
      'the upstream sent a partial response, which cannot be redacted; request the whole resource',
    );
  }
  if (!isRedactableCharset(type)) {
    throw new Refusal(
      'upstream_error',
      'the response has a charset that cannot be redacted; request UTF-8',
    );
  }
}

// Not a range of `*`, which a 416 sends: RFC 9110, section 14.4.
const SOME_BYTES = /(?:^|,)\s*bytes\b(?!\s*\*)/i;
const OTHER_UNITS = /^\s*(?!bytes\b)\S/i;
const PARTS_OF_BYTES = /multipart\/byteranges/i;

const isRedactableCharset = memoize((type) => charsetsIn(type).every(isRedactable));

function charsetsIn(type: string): string[] {
  const found = type.matchAll(/charset\*?\s*=\s*"?([^\s";,]+)/gi);
  return Array.from(found, ([, label]) => label!.toLowerCase().replace(SINGLE_QUOTES, '$1'));
}

/** Some servers send them; the standard has double quotes only. */
const SINGLE_QUOTES = /^'([^']*)'$/;

/** All encodings of the WHATWG standard except UTF-16 and ISO-2022-JP encode ASCII as ASCII. */
function isRedactable(label: string): boolean {
  if (PLAIN.has(label)) return true;
  try {
    return new TextDecoder(label).encoding !== 'iso-2022-jp';
  } catch {
    return false;
  }
}

/** The usual one, without the cost of a decoder, and labels outside the standard. */
const PLAIN: ReadonlySet<string> = new Set(['utf-8', 'utf8mb4', 'latin-1', 'binary']);
