/**
 * Step 12. Cuts the clean body at the cap, never inside a UTF-8 character and never inside a
 * redaction marker. Text is given as text; anything else as base64.
 */
import { isUtf8 } from 'node:buffer';
import { REDACTED } from '../../core/secret.ts';

const MARKER = Buffer.from(REDACTED);

export interface Truncated {
  readonly body: string;
  /** Present when the body is not UTF-8 text. */
  readonly body_encoding?: 'base64';
  readonly truncated: boolean;
}

export function truncate(clean: Buffer, capBytes: number): Truncated {
  const truncated = clean.length > capBytes;
  const kept = truncated ? clean.subarray(0, cutAt(clean, capBytes)) : clean;
  return isUtf8(kept)
    ? { body: kept.toString('utf8'), truncated }
    : { body: kept.toString('base64'), body_encoding: 'base64', truncated };
}

function cutAt(clean: Buffer, capBytes: number): number {
  return characterStart(clean, markerStart(clean, capBytes) ?? capBytes);
}

/** Where a marker starts that the cut would split. */
function markerStart(clean: Buffer, cut: number): number | undefined {
  const from = Math.max(0, cut - MARKER.length + 1);
  const start = clean.subarray(from, cut + MARKER.length - 1).indexOf(MARKER);
  return start === -1 ? undefined : from + start;
}

/** The start of the UTF-8 character that the cut would split, or the cut itself. */
function characterStart(clean: Buffer, cut: number): number {
  let start = cut;
  while (start > 0 && cut - start < 3 && isContinuation(clean[start])) start -= 1;
  return isContinuation(clean[start]) ? cut : start;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
