/** Lines of a text, whichever of the three line ends it has. */
export type Eol = '\n' | '\r\n' | '\r';

/** Where each line starts. Text ending in a line end has no empty line after it. */
export function lineStarts(text: string): Uint32Array {
  // Notes without a carriage return, nearly all, are searched and not read character by character.
  const next = text.includes('\r') ? afterNextLine : afterNextNewline;
  let lines = 1;
  for (let at = next(text, 0); at < text.length; at = next(text, at)) lines++;
  const starts = new Uint32Array(lines);
  for (let line = 1, at = 0; line < lines; line++) {
    at = next(text, at);
    starts[line] = at;
  }
  return starts;
}

function afterNextNewline(text: string, from: number): number {
  const found = text.indexOf('\n', from);
  return found === -1 ? text.length : found + 1;
}

function afterNextLine(text: string, from: number): number {
  return afterLineEnd(text, lineEnd(text, from));
}

/** The line, counted from 1, that holds the byte at `offset`. */
export function lineAt(starts: Uint32Array, offset: number): number {
  return firstAtOrAfter(starts, offset + 1);
}

/** The index of the first of the rising numbers that is not below `limit`. */
export function firstAtOrAfter(rising: ArrayLike<number>, limit: number): number {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rising[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The offset of the line end at or after `from`, or the length of the text. */
export function lineEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13) return at;
  }
  return text.length;
}

/** The offset after the line end at `at`, or `at` where there is none. */
export function afterLineEnd(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === 13) return text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1;
  return code === 10 ? at + 1 : at;
}

/** The line end most lines have; `\n` before `\r\n` before `\r` where they are as many. */
export function commonEol(text: string): Eol {
  if (!text.includes('\r')) return '\n';
  let crlf = 0;
  let lf = 0;
  let cr = 0;
  for (let at = lineEnd(text, 0); at < text.length; at = lineEnd(text, at)) {
    const after = afterLineEnd(text, at);
    if (after - at === 2) crlf++;
    else if (text.charCodeAt(at) === 10) lf++;
    else cr++;
    at = after;
  }
  if (lf >= crlf && lf >= cr) return '\n';
  return crlf >= cr ? '\r\n' : '\r';
}

/** Text from a caller with the note's own line ends. */
export function withEol(text: string, eol: Eol): string {
  return text.replace(/\r\n|\n|\r/g, eol);
}

/** Spaces and tabs, and line ends; not the other bytes that `trim` takes for space in Latin-1. */
export function isBlank(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 9 && code !== 10 && code !== 13) return false;
  }
  return true;
}

/**
 * What is put between the two offsets, so written that a carriage return and a line feed of two
 * lines do not come to be one line end: right after a lone return a return ends the empty line.
 */
export function keptApart(text: string, start: number, end: number, put: string): string {
  const [afterReturn, beforeFeed] = [text[start - 1] === '\r', text[end] === '\n'];
  if (put === '') return start < end && afterReturn && beforeFeed ? '\r' : '';
  const first = afterReturn && put.startsWith('\n') ? `\r${put.slice(1)}` : put;
  return beforeFeed && first.endsWith('\r') ? `${first.slice(0, -1)}\n` : first;
}
