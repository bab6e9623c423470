/**
 * The byte patterns of all forms of all secrets, folded to lower case, sorted, each once.
 */
import type { Secret } from '../secret.ts';
import { formsOf } from './forms.ts';

/** Maps a byte to the byte it is compared as: ASCII upper case to lower case. */
export const FOLD = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

export function foldedPatterns(secrets: Iterable<Secret>): Uint8Array[] {
  const patterns: Uint8Array[] = [];
  for (const secret of secrets) {
    for (const form of formsOf(secret)) patterns.push(fold(form));
  }
  patterns.sort(Buffer.compare);
  return patterns.filter((pattern, index) => {
    const previous = patterns[index - 1];
    return previous === undefined || Buffer.compare(previous, pattern) !== 0;
  });
}

function fold(bytes: Uint8Array): Uint8Array {
  for (let index = 0; index < bytes.length; index++) bytes[index] = FOLD[bytes[index]!]!;
  return bytes;
}
