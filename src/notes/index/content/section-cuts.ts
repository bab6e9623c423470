/** How a note is cut into the pieces that are found by themselves. */
import type { WholeNote } from '../../markdown/parsed-note.ts';

/** A piece of a note that is found by itself. All pieces of a note in order are its whole text. */
export interface IndexedSection {
  readonly line: number;
  readonly headingPath: readonly string[];
  readonly text: string;
  /** Where the text begins that is not the heading itself. */
  readonly bodyStart: number;
}

/** A note with more headings is searched as well, but its tail is cut by length. */
const MAX_SECTIONS = 5000;
const MAX_SECTION_LENGTH = 32_768;
const MAX_HEADING_LENGTH = 500;

/**
 * The frontmatter, then each section. A section longer than 32,768 characters is cut, at a line
 * end or a space where there is one, so that a hit in ten megabytes without a heading still has a
 * line, and a snippet costs what it shows.
 */
export function cutSections(note: WholeNote): IndexedSection[] {
  const sections: IndexedSection[] = [];
  const first = note.sections[0]?.start ?? note.bytes.length;
  if (first > 0) cut(sections, note.bytes.toString('utf8', 0, first), 1, [], 0);
  const contentStarts = new Map(
    note.headings.map(({ start, contentStart }) => [start, contentStart]),
  );
  for (const [index, section] of note.sections.entries()) {
    const rest = index === MAX_SECTIONS - 1;
    const text = note.bytes.toString('utf8', section.start, rest ? note.bytes.length : section.end);
    const content = contentStarts.get(section.start) ?? section.start;
    const heading = note.bytes.toString('utf8', section.start, content);
    const path = section.headingPath.map((part) => part.slice(0, MAX_HEADING_LENGTH));
    cut(sections, text, section.line, path, heading.length);
    if (rest) break;
  }
  return sections;
}

function cut(
  sections: IndexedSection[],
  text: string,
  firstLine: number,
  headingPath: readonly string[],
  headingLength: number,
): void {
  let line = firstLine;
  for (let from = 0; from < text.length; ) {
    const to = pieceEnd(text, from);
    const piece = text.slice(from, to);
    sections.push({
      line,
      headingPath,
      text: piece,
      bodyStart: Math.min(piece.length, from === 0 ? headingLength : 0),
    });
    line += countLineEnds(piece);
    from = to;
  }
}

function pieceEnd(text: string, from: number): number {
  const end = from + MAX_SECTION_LENGTH;
  if (end >= text.length) return text.length;
  const half = from + MAX_SECTION_LENGTH / 2;
  const tail = text.slice(half, end);
  const newline = tail.lastIndexOf('\n');
  if (newline !== -1) return half + newline + 1;
  const space = tail.lastIndexOf(' ');
  if (space !== -1) return half + space + 1;
  const code = text.charCodeAt(end - 1);
  return code === 13 || (code >= 0xd800 && code <= 0xdbff) ? end - 1 : end;
}

/** `\n`, `\r\n` and a lone `\r` each end a line. No piece ends between the two of a pair. */
export function countLineEnds(text: string, end = text.length): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count++;
  if (!text.includes('\r')) return count;
  for (let at = text.indexOf('\r'); at !== -1 && at < end; at = text.indexOf('\r', at + 1)) {
    if (text.charCodeAt(at + 1) !== 10) count++;
  }
  return count;
}
