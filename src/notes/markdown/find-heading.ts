/**
 * Finds the heading that a caller addresses. Nothing is guessed, because a wrong guess edits the
 * wrong section: names match whole, and an ambiguous name is refused.
 */
import { EditError, invalidArguments } from '../text/edit-error.ts';
import { lineAt } from '../text/lines.ts';
import { mostSimilar } from '../text/similar.ts';
import { foldName } from '../text/utf8.ts';
import type { Heading, ParsedNote } from './parsed-note.ts';

export interface HeadingAddress {
  /** The whole text of the heading; case does not count. */
  readonly heading?: string;
  /** The heading path: the headings above it from the top, then itself. */
  readonly heading_path?: readonly string[];
  /** A line of the heading itself. */
  readonly line?: number;
}

/** Throws unless exactly one heading matches. `byLine` is the caller's argument for a line. */
export function findHeading(
  note: ParsedNote,
  address: HeadingAddress,
  byLine: 'line' | 'lines' = 'line',
): Heading {
  const found = lookUpHeading(note, address, byLine);
  if (found instanceof EditError) throw found;
  return found;
}

/** As `findHeading`, but undefined where the note has no such heading. */
export function findHeadingIfAny(note: ParsedNote, address: HeadingAddress): Heading | undefined {
  const found = lookUpHeading(note, address, 'line');
  if (!(found instanceof EditError)) return found;
  if (found.code === 'heading_not_found') return undefined;
  throw found;
}

function lookUpHeading(
  note: ParsedNote,
  address: HeadingAddress,
  byLine: 'line' | 'lines',
): Heading | EditError {
  const { heading, heading_path, line } = address;
  const given = [heading, heading_path, line].filter((part) => part !== undefined);
  if (given.length !== 1 || heading_path?.length === 0) {
    return invalidArguments('give exactly one of heading, heading_path and line');
  }
  if (line !== undefined) return findByLine(note, line);
  const wanted = fold(heading_path ?? [heading!]);
  const named = note.headings.filter((one) => {
    const names = fold(heading_path ? one.path : [one.text]);
    return names.length === wanted.length && names.every((name, index) => name === wanted[index]);
  });
  if (named.length === 1) return named[0]!;
  const name = heading ?? heading_path!.join(' > ');
  if (named.length > 1) {
    const next = heading_path ? byLine : `heading_path or ${byLine}`;
    return new EditError(
      'heading_ambiguous',
      `${named.length} headings match "${name}"; give ${next} of the one you mean`,
      { candidates: named.slice(0, 20).map(describe) },
    );
  }
  return notFound(note, `no heading matches "${name}"`, heading ?? heading_path!.at(-1)!);
}

function findByLine(note: ParsedNote, line: number): Heading | EditError {
  const found = note.headings.find(
    ({ line: first, contentStart }) =>
      first <= line && line <= lineAt(note.lineStarts, contentStart - 1),
  );
  return found ?? notFound(note, `line ${line} is not a heading`, '');
}

function notFound(note: ParsedNote, what: string, wanted: string): EditError {
  const similar = mostSimilar(wanted, note.headings, ({ text }) => text, 5);
  const candidates = similar.length > 0 ? similar : note.headings.slice(0, 20);
  const next = note.headings.length > 0 ? 'take one of the candidates' : 'the note has no headings';
  return new EditError('heading_not_found', `${what}; ${next}`, {
    candidates: candidates.map(describe),
  });
}

function describe({ path, line, level }: Heading) {
  return { heading_path: path, line, level };
}

function fold(names: readonly string[]): string[] {
  return names.map((name) => foldName(name.trim()));
}
