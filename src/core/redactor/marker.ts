/**
 * What stands where a secret stood.
 *
 * Stops: a marker that completes a secret with the text around it. A secret that begins with
 * `]`, ends with `[` or holds the marker's own text could reappear in the output; then
 * another marker is taken, with which no form can overlap. Nor can any marker overlap itself, so
 * that a cut sees where each of two begins that touch.
 */
import { isUtf8 } from 'node:buffer';
import { REDACTED } from '../secrets/secret.ts';
import { FOLD } from './fold.ts';

const FULL_BLOCK = 0x2588;

export function chooseMarker(patterns: readonly Uint8Array[]): string {
  let marker = REDACTED;
  for (let char = FULL_BLOCK; canOverlap(marker, patterns); char++) {
    marker = String.fromCodePoint(char, char + 1, char + 2);
  }
  return marker;
}

/**
 * Whether some text around the marker could hold a pattern that takes in part of it.
 * Patterns that are not text (the decoded bytes of a base64 key) do not count: one in a
 * hundred begins with `]` by chance, and text does not complete them.
 */
function canOverlap(marker: string, patterns: readonly Uint8Array[]): boolean {
  const folded = Buffer.from(marker).map((byte) => FOLD[byte]!);
  return patterns.some((pattern) => overlaps(pattern, folded) && isUtf8(pattern));
}

function overlaps(pattern: Uint8Array, marker: Uint8Array): boolean {
  if (holds(pattern, marker) || holds(marker, pattern)) return true;
  const most = Math.min(pattern.length, marker.length);
  for (let shared = 1; shared < most; shared++) {
    if (endMeetsBeginning(pattern, marker, shared)) return true;
    if (endMeetsBeginning(marker, pattern, shared)) return true;
  }
  return false;
}

function holds(whole: Uint8Array, part: Uint8Array): boolean {
  const { buffer, byteOffset, length } = whole;
  return (
    part.length <= length && Buffer.from(buffer, byteOffset, length).includes(Buffer.from(part))
  );
}

function endMeetsBeginning(left: Uint8Array, right: Uint8Array, shared: number): boolean {
  const from = left.length - shared;
  for (let index = 0; index < shared; index++) {
    if (left[from + index] !== right[index]) return false;
  }
  return true;
}
