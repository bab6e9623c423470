/** Compares a note before and after a write. */
import { isUtf8 } from 'node:buffer';
import type { FileName } from '../index/content/link-names.ts';
import { parseNote } from '../markdown/parse-note.ts';
import type { Link, ParsedNote } from '../markdown/parsed-note.ts';
import { namesAt } from '../tool-kit/link-targets.ts';

export interface NoteComparison {
  readonly warnings: readonly string[];
  /** Links that the note did not have before. */
  readonly freshLinks: readonly Pick<Link, 'kind' | 'target' | 'line'>[];
  /** Removed headings. */
  readonly lostHeadings: readonly string[];
  /** All headings, if any was removed. */
  readonly headings: readonly string[];
  /** The names of the note after the write. */
  readonly names: readonly FileName[];
}

const EOL_NAMES = { '\n': 'LF', '\r\n': 'CRLF', '\r': 'CR' } as const;
/** The limit of the index per note. */
const MAX_FRESH = 20_000;

export function compareNotes(path: string, before: Buffer, after: Buffer): NoteComparison {
  const [old, note] = [parseNote(before), parseNote(after)];
  const left = new Set(note.headings.map(({ text }) => text));
  const lostHeadings = old.headings.map(({ text }) => text).filter((text) => !left.has(text));
  return {
    warnings: [...structureWarnings(old, note), ...byteWarnings(old, note)],
    freshLinks: freshLinks(old, note),
    lostHeadings,
    headings: lostHeadings.length === 0 ? [] : note.headings.map(({ text }) => text),
    names: namesAt(path, note),
  };
}

function structureWarnings(old: ParsedNote, note: ParsedNote): string[] {
  const problem = note.frontmatter?.problem;
  const { openEnd } = note;
  return [
    ...(problem === undefined ? [] : [`the frontmatter cannot be read: ${problem}`]),
    ...(openEnd === undefined || old.openEnd !== undefined
      ? []
      : [
          `the ${openEnd.kind === 'fence' ? 'fence' : 'HTML'} opened in line ${openEnd.line} is not closed and includes everything after it`,
        ]),
  ];
}

function byteWarnings(old: ParsedNote, note: ParsedNote): string[] {
  const warnings: string[] = [];
  if (note.hasBom && !old.hasBom) warnings.push('the note now begins with a byte order mark');
  if (old.bytes.length === 0) return warnings;
  if (old.hasBom && !note.hasBom) warnings.push('the byte order mark was removed');
  const hasLines = old.lineStarts.length > 1 && note.lineStarts.length > 1;
  if (hasLines && old.eol !== note.eol) {
    warnings.push(`the line ends changed from ${EOL_NAMES[old.eol]} to ${EOL_NAMES[note.eol]}`);
  }
  if (!isUtf8(old.bytes) && isUtf8(note.bytes)) {
    warnings.push('the bytes that were not UTF-8 were removed');
  }
  return warnings;
}

function freshLinks(old: ParsedNote, note: ParsedNote): NoteComparison['freshLinks'] {
  const known = new Set(old.links.map(({ target }) => target));
  return note.links
    .filter(({ target }) => target !== '' && !known.has(target))
    .slice(0, MAX_FRESH)
    .map(({ kind, target, line }) => ({ kind, target, line }));
}
