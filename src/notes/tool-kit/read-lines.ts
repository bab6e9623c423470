/**
 * Reads a note in parts by line range, `40-80`. A line that is too long for one result is cut at a
 * byte, `1:15000-`. `next` is the range of the rest, so the parts together are the note, byte by byte.
 */
import { isUtf8 } from 'node:buffer';
import { lineAt } from '../text/lines.ts';
import { invalidArguments } from './notes-error.ts';

/** Bytes of a note, from `start` to before `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface ReadPart {
  readonly content: string;
  /** The lines shown, wholly or in part. */
  readonly lines: string;
  /** The `lines` of the next part; absent at the end of the range. */
  readonly next?: string;
}

export const LINES = '^[0-9]{1,9}(:[0-9]{1,9})?(-[0-9]{0,9})?$';
const PARTS = /^(\d+)(?::(\d+))?(-(\d*))?$/;

/** `12` is one line, `12-` continues to the end, `12:5000-20` begins at byte 5000 of line 12. */
export function readRange(lines: string, starts: Uint32Array, length: number): Range {
  const [, first, byte = '0', dash, last = ''] = PARTS.exec(lines) ?? [];
  const from = Number(first);
  const to = dash === undefined ? from : last === '' ? starts.length : Number(last);
  if (from < 1 || from > starts.length || to < from) {
    throw invalidArguments(
      `the note has lines 1 to ${starts.length}; give lines as 1-${starts.length}`,
      { total_lines: starts.length },
    );
  }
  const end = starts[to] ?? length;
  const start = starts[from - 1]! + Number(byte);
  return { start: Math.min(start, end), end };
}

/** The lines of a range as a caller would write them. */
export function writeRange({ start, end }: Range, starts: Uint32Array, length: number): string {
  const line = lineAt(starts, start);
  const byte = start - starts[line - 1]!;
  const from = byte === 0 ? `${line}` : `${line}:${byte}`;
  return end >= length ? `${from}-` : `${from}-${lineAt(starts, end - 1)}`;
}

/** As much of the range as fits, cut after a line unless that line is very long. */
export function readPart(
  bytes: Buffer,
  starts: Uint32Array,
  range: Range,
  maxChars: number,
): ReadPart {
  const isText = isUtf8(bytes);
  const start = isText ? characterStart(bytes, range.start) : range.start;
  const cut = cutToFit(bytes, { start, end: range.end }, maxChars, isText);
  const last = Math.max(start, cut - 1);
  return {
    content: bytes.toString('utf8', start, cut),
    lines: bytes.length === 0 ? '0-0' : `${lineAt(starts, start)}-${lineAt(starts, last)}`,
    ...(cut < range.end && {
      next: writeRange({ start: cut, end: range.end }, starts, bytes.length),
    }),
  };
}

function cutToFit(bytes: Buffer, { start, end }: Range, maxChars: number, isText: boolean): number {
  let chars = 0;
  let cut = start;
  for (; cut < end; cut++) {
    chars += charsOf(bytes[cut]!, isText);
    if (chars > maxChars) break;
  }
  if (cut === end) return end;
  const fitting = bytes.subarray(start, cut);
  const lineEnd = Math.max(fitting.lastIndexOf(10), fitting.lastIndexOf(13)) + 1;
  if (lineEnd > fitting.length / 2 && bytes[start + lineEnd] !== 10) return start + lineEnd;
  const whole = characterBefore(bytes, cut);
  return whole > start ? whole : cut;
}

/** The JSON characters of a byte; an upper bound for invalid UTF-8. */
function charsOf(byte: number, isText: boolean): number {
  if (byte === 0x22 || byte === 0x5c || (byte >= 8 && byte <= 13 && byte !== 11)) return 2;
  if (byte < 0x20) return 6;
  if (byte < 0x80) return 1;
  if (byte < 0xc0) return isText ? 0 : 1;
  return byte < 0xf0 ? 1 : 2;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** The first character boundary at or after a byte. */
function characterStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start - at < 3 && start > 0 && isContinuation(bytes[start])) start++;
  return start;
}

function characterBefore(bytes: Buffer, at: number): number {
  let start = at;
  while (at - start < 3 && isContinuation(bytes[start])) start--;
  return isContinuation(bytes[start]) ? at : start;
}
