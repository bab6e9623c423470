/** Lines of a text with any of the three line ends. */
export type Eol = '\n' | '\r\n' | '\r';

/** The offset of each line. A final line end starts no further line. */
export function lineStarts(text: string): Uint32Array {
  // `indexOf` is much faster than a loop, and nearly no note has a carriage return.
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

/** The line, counted from 1, that contains the byte at `offset`. */
export function lineAt(starts: Uint32Array, offset: number): number {
  return firstAtOrAfter(starts, offset + 1);
}

/** Binary search: the index of the first number that is at least `limit`. */
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

/** The most frequent line end; ties prefer `\n`, then `\r\n`. */
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

export function withEol(text: string, eol: Eol): string {
  return text.replace(/\r\n|\n|\r/g, eol);
}

/** Spaces, tabs and line ends only: `trim` would also remove Latin-1 bytes such as 0xA0. */
export function isBlank(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 9 && code !== 10 && code !== 13) return false;
  }
  return true;
}

/**
 * Adapts a replacement of the range so that a lone `\r` before it or in it and a `\n` in it or after
 * it do not join into one `\r\n`.
 */
export function keptApart(text: string, start: number, end: number, put: string): string {
  const [afterReturn, beforeFeed] = [text[start - 1] === '\r', text[end] === '\n'];
  if (put === '') return start < end && afterReturn && beforeFeed ? '\r' : '';
  const first = afterReturn && put.startsWith('\n') ? `\r${put.slice(1)}` : put;
  return beforeFeed && first.endsWith('\r') ? `${first.slice(0, -1)}\n` : first;
}
