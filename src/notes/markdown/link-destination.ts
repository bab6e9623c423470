/**
 * The destination of a Markdown link as written: `foo.md#h`, or in angle brackets. Parentheses may
 * nest 32 deep, which bounds the time (CommonMark 6.3 sets no bound).
 */
export interface Destination {
  readonly start: number;
  readonly end: number;
  /** After the destination, its angle brackets included. */
  readonly after: number;
}

const MAX_PARENTHESES_DEPTH = 32;

/** The destination at `at`, if there is one. */
export function readDestination(text: string, at: number, to: number): Destination | undefined {
  return text[at] === '<' ? readAngled(text, at, to) : readBare(text, at, to);
}

/** What follows the `(` of an inline link up to after its `)`, or undefined. */
export function readLinkTail(
  text: string,
  at: number,
  to: number,
): { destination: Destination; end: number } | undefined {
  const destination = readDestination(text, skipLinkSpace(text, at, to), to);
  if (!destination) return undefined;
  let pos = skipLinkSpace(text, destination.after, to);
  if (pos > destination.after && pos < to && text[pos] !== ')') {
    const titled = titleEnd(text, pos, to);
    if (titled === -1) return undefined;
    pos = skipLinkSpace(text, titled, to);
  }
  return text[pos] === ')' && pos < to ? { destination, end: pos + 1 } : undefined;
}

/** Skips spaces and line ends, and the `>` of a quote that continues on the next line. */
export function skipLinkSpace(text: string, at: number, to: number): number {
  let pos = at;
  let newLine = false;
  for (; pos < to; pos++) {
    const code = text.charCodeAt(pos);
    if (code === 10 || code === 13) newLine = true;
    else if (code !== 32 && code !== 9 && !(newLine && code === 62)) break;
  }
  return pos;
}

function readAngled(text: string, at: number, to: number): Destination | undefined {
  for (let pos = at + 1; pos < to; pos++) {
    const code = text.charCodeAt(pos);
    if (code === 62) return { start: at + 1, end: pos, after: pos + 1 };
    if (code === 60 || code === 10 || code === 13) return undefined;
    if (code === 92) pos++;
  }
  return undefined;
}

function readBare(text: string, at: number, to: number): Destination | undefined {
  let depth = 0;
  let pos = at;
  for (; pos < to; pos++) {
    const code = text.charCodeAt(pos);
    if (code <= 32 || code === 127) break;
    if (code === 92 && pos + 1 < to && text.charCodeAt(pos + 1) > 32) pos++;
    else if (code === 40 && ++depth > MAX_PARENTHESES_DEPTH) return undefined;
    else if (code === 41 && --depth < 0) break;
  }
  return depth > 0 ? undefined : { start: at, end: pos, after: pos };
}

/** A title ends at its next quote, and one in parentheses at the next parenthesis. */
function titleEnd(text: string, at: number, to: number): number {
  const opener = text.charCodeAt(at);
  if (opener !== 34 && opener !== 39 && opener !== 40) return -1;
  const closer = opener === 40 ? 41 : opener;
  for (let pos = at + 1; pos < to; pos++) {
    const code = text.charCodeAt(pos);
    if (code === closer) return pos + 1;
    if (code === 40 && opener === 40) return -1;
    if (code === 92) pos++;
  }
  return -1;
}
