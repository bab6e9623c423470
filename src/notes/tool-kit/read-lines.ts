/**
 * A part of a note, and where the next part begins. Parts are named by lines, `40-80`; a line that
 * is too long for one result is cut at a byte, `1:15000-`. What a part lacks is named the same way,
 * so reading on needs no other argument, and the parts together are the note, byte by byte.
 */
import { isUtf8 } from 'node:buffer';
import { lineAt } from '../text/lines.ts';
import { NotesError } from './notes-error.ts';

/** Bytes of a note, from `start` to before `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface ReadPart {
  readonly content: string;
  /** The lines that are shown, wholly or in part. */
  readonly lines: string;
  /** The `lines` to ask for next; absent at the end of the range. */
  readonly next?: string;
}

export const LINES = '^[0-9]{1,9}(:[0-9]{1,9})?(-[0-9]{0,9})?$';
const PARTS = /^(\d+)(?::(\d+))?(-(\d*))?$/;

/** `12` is one line, `12-` goes on to the end, `12:5000-20` begins at byte 5000 of line 12. */
export function readRange(lines: string, starts: Uint32Array, length: number): Range {
  const [, first, byte = '0', dash, last = ''] = PARTS.exec(lines) ?? [];
  const from = Number(first);
  const to = dash === undefined ? from : last === '' ? starts.length : Number(last);
  if (from < 1 || from > starts.length || to < from) {
    throw new NotesError(
      'invalid_arguments',
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

/** As much of the range as has room, cut after a line where lines are of a common length. */
export function readPart(
  bytes: Buffer,
  starts: Uint32Array,
  range: Range,
  maxChars: number,
): ReadPart {
  const isText = isUtf8(bytes);
  const start = isText ? characterStart(bytes, range.start) : range.start;
  const cut = cutWithRoom(bytes, { start, end: range.end }, maxChars, isText);
  const last = Math.max(start, cut - 1);
  return {
    content: bytes.toString('utf8', start, cut),
    lines: bytes.length === 0 ? '0-0' : `${lineAt(starts, start)}-${lineAt(starts, last)}`,
    ...(cut < range.end && {
      next: writeRange({ start: cut, end: range.end }, starts, bytes.length),
    }),
  };
}

function cutWithRoom(
  bytes: Buffer,
  { start, end }: Range,
  maxChars: number,
  isText: boolean,
): number {
  let chars = 0;
  let cut = start;
  for (; cut < end; cut++) {
    chars += charsOf(bytes[cut]!, isText);
    if (chars > maxChars) break;
  }
  if (cut === end) return end;
  const room = bytes.subarray(start, cut);
  const lineEnd = Math.max(room.lastIndexOf(10), room.lastIndexOf(13)) + 1;
  if (lineEnd > room.length / 2 && bytes[start + lineEnd] !== 10) return start + lineEnd;
  const whole = characterBefore(bytes, cut);
  return whole > start ? whole : cut;
}

/** What a byte adds to the length of the JSON; of bytes that are no text, at most so much. */
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

/** The first character at or after a byte: a caller may have named one within a character. */
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
