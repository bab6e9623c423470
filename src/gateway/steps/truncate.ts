/**
 * Step 12. Cuts the clean body at the cap, never inside a UTF-8 character and never inside a
 * redaction marker. Text is given as text; anything else as base64.
 */
import { isUtf8 } from 'node:buffer';

export interface Truncated {
  readonly body: string;
  /** Present when the body is not UTF-8 text. */
  readonly body_encoding?: 'base64';
  readonly truncated: boolean;
}

export function truncate(
  { body, marker }: { body: Buffer; marker: string },
  capBytes: number,
): Truncated {
  const truncated = body.length > capBytes;
  const kept = truncated ? body.subarray(0, cutAt(body, capBytes, Buffer.from(marker))) : body;
  return isUtf8(kept)
    ? { body: kept.toString('utf8'), truncated }
    : { body: kept.toString('base64'), body_encoding: 'base64', truncated };
}

function cutAt(body: Buffer, capBytes: number, marker: Buffer): number {
  return characterStart(body, markerStart(body, capBytes, marker) ?? capBytes);
}

/** Where a marker starts that the cut would split. */
function markerStart(body: Buffer, cut: number, marker: Buffer): number | undefined {
  const from = Math.max(0, cut - marker.length + 1);
  const start = body.subarray(from, cut + marker.length - 1).indexOf(marker);
  return start === -1 ? undefined : from + start;
}

/** The start of the UTF-8 character that the cut would split, or the cut itself. */
function characterStart(body: Buffer, cut: number): number {
  let start = cut;
  while (start > 0 && cut - start < 3 && isContinuation(body[start])) start -= 1;
  return isContinuation(body[start]) ? cut : start;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
