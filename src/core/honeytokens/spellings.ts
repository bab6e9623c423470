/**
 * The ways in which a text may spell a honeytoken: percent-encoded, up to three times; with the
 * escapes of JSON and JavaScript; in one layer of base64 or base64url, also within other text, as the
 * claims of a JWT are.
 */
import { MIN_BASE64_LENGTH } from './shape.ts';

const MAX_LAYERS = 3;
const ASCII_ESCAPE = /%[0-7][0-9a-f]/gi;
const BACKSLASH_ESCAPE = /\\(?:u00([0-7][0-9a-f])|x([0-7][0-9a-f]))/gi;
/** Padding and percent-encoded padding end a run by themselves. */
export const BASE64_RUN = new RegExp(`[A-Za-z0-9+/_-]{${MIN_BASE64_LENGTH},}`, 'g');

/** The most decoded first: the end of a half encoded token may look like a token. */
export function* spellings(text: string): Generator<string> {
  const layers = [text];
  let plain = text;
  while (layers.length <= MAX_LAYERS && plain.includes('%')) {
    const decoded = percentDecoded(plain);
    if (decoded === plain) break;
    plain = decoded;
    layers.unshift(plain);
  }
  if (plain.includes('\\')) layers.unshift(unescaped(plain));
  yield* layers;
  for (const [run] of plain.matchAll(BASE64_RUN)) yield* decodedBase64(run);
}

/** The ASCII escapes only: a token has no other characters. */
export function percentDecoded(text: string): string {
  return text.replace(ASCII_ESCAPE, (escaped) =>
    String.fromCharCode(Number.parseInt(escaped.slice(1), 16)),
  );
}

export function unescaped(text: string): string {
  return text.replace(BACKSLASH_ESCAPE, (_, unicode, hex) =>
    String.fromCharCode(Number.parseInt(unicode ?? hex, 16)),
  );
}

/** Other letters may precede the base64, so it is decoded at each of the four alignments. */
export function* decodedBase64(run: string): Generator<string> {
  for (let offset = 0; offset < 4; offset++) {
    yield Buffer.from(offset === 0 ? run : run.slice(offset), 'base64').toString('latin1');
  }
}
