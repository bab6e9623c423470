/** The headings of a note and their sections. */

import { fromLatin1 } from '../text/utf8.ts';
import type { Block } from './blocks.ts';
import type { Heading, Section } from './parsed-note.ts';

type OwnLines = Omit<Heading, 'path' | 'end'>;

/** Reads a heading from its own lines, which reach from `start` to `contentStart`. */
export function readHeading(
  text: string,
  block: Block,
  line: number,
  start: number,
  contentStart: number,
): OwnLines {
  const style = block.markup.startsWith('#') ? 'atx' : 'setext';
  const [textStart, textEnd] =
    style === 'atx' ? atxText(text, start, contentStart) : setextText(text, start, contentStart);
  const lines = fromLatin1(text.slice(textStart, textEnd)).split(/\r\n|\n|\r/);
  return {
    level: block.level,
    text: lines.map(trimmed).join(' '),
    line,
    style,
    start,
    textStart,
    textEnd,
    contentStart,
  };
}

/** Gives each heading its path and the end of its section. */
export function nestHeadings(headings: readonly OwnLines[], length: number): Heading[] {
  const nested: { -readonly [Key in keyof Heading]: Heading[Key] }[] = [];
  const open: { -readonly [Key in keyof Heading]: Heading[Key] }[] = [];
  for (const heading of headings) {
    while (open.length > 0 && open.at(-1)!.level >= heading.level) open.pop()!.end = heading.start;
    const path = [...open.map((above) => above.text), heading.text];
    const full = { ...heading, path, end: length };
    nested.push(full);
    open.push(full);
  }
  return nested;
}

/** The body split at every heading; text before the first heading has an empty path. */
export function cutSections(
  headings: readonly Heading[],
  bodyStart: number,
  bodyLine: number,
  length: number,
): Section[] {
  const sections: Section[] = [];
  const first = headings[0]?.start ?? length;
  if (first > bodyStart) {
    sections.push({ headingPath: [], line: bodyLine, start: bodyStart, end: first });
  }
  for (const [index, { path, line, start }] of headings.entries()) {
    sections.push({ headingPath: path, line, start, end: headings[index + 1]?.start ?? length });
  }
  return sections;
}

/** CommonMark 4.2: without the opening marks and the closing ones after a space. */
function atxText(text: string, start: number, contentStart: number): [number, number] {
  let from = skipForward(text, start, contentStart, ' \t');
  while (text[from] === '#') from++;
  const end = skipBack(text, from, contentStart, ' \t\r\n');
  const unmarked = skipBack(text, from, end, '#');
  const closed = unmarked === from || ' \t'.includes(text[unmarked - 1]!);
  const to = closed ? skipBack(text, from, unmarked, ' \t') : end;
  return [skipForward(text, from, to, ' \t'), to];
}

/** CommonMark 4.3: the lines above the underline, which is the last line. */
function setextText(text: string, start: number, contentStart: number): [number, number] {
  const underline = skipBack(text, start, contentStart, '\r\n');
  let above = underline;
  while (text[above - 1] !== '\n' && text[above - 1] !== '\r') above--;
  const to = skipBack(text, start, above, ' \t\r\n');
  return [skipForward(text, start, to, ' \t'), to];
}

/** An expression would take quadratic time for a line with many spaces. */
function trimmed(line: string): string {
  const end = skipBack(line, 0, line.length, ' \t');
  return line.slice(skipForward(line, 0, end, ' \t'), end);
}

function skipForward(text: string, from: number, to: number, skipped: string): number {
  let at = from;
  while (at < to && skipped.includes(text[at]!)) at++;
  return at;
}

function skipBack(text: string, from: number, to: number, skipped: string): number {
  let at = to;
  while (at > from && skipped.includes(text[at - 1]!)) at--;
  return at;
}
