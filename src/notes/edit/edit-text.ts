/** `note_edit`: replaces exact texts, all or none. */

import type { ParsedNote } from '../markdown/parsed-note.ts';
import { EditError, invalidArguments } from '../text/edit-error.ts';
import { type Found, findText } from '../text/find-text.ts';
import type { Eol } from '../text/lines.ts';
import { lineAt, lineEnd, lineStarts, withEol } from '../text/lines.ts';
import { EditSequence, type Replacement } from '../text/replacements.ts';
import { mostSimilar } from '../text/similar.ts';
import { fromLatin1, toLatin1 } from '../text/utf8.ts';

export interface TextEdit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
  readonly expected_count?: number;
}

/** Bounds memory: a match costs far more than its bytes. */
const MAX_PLACES = 100_000;

/** Each edit applies to the result of the previous one. All line ends match; new text gets the note's. */
export function editText(
  note: Pick<ParsedNote, 'bytes' | 'eol'>,
  edits: readonly TextEdit[],
): Replacement[] {
  if (edits.length === 0) throw invalidArguments('edits is empty; give at least one edit');
  const sequence = new EditSequence(note.bytes);
  for (const [index, edit] of edits.entries()) {
    const latin1 = sequence.current.toString('latin1');
    const found = findEdit(latin1, edit, index);
    sequence.make(found.map((range) => replacing(latin1, range, edit.new_string, note.eol)));
  }
  return sequence.replacements();
}

function findEdit(latin1: string, edit: TextEdit, index: number): Found[] {
  const { old_string, replace_all = false, expected_count } = edit;
  if (old_string === '') {
    throw invalidArguments('old_string is empty; give the text to replace', { edit: index });
  }
  const found = findText(latin1, old_string, MAX_PLACES + 1);
  if (found.length > MAX_PLACES) {
    throw invalidArguments(
      `old_string is found in more than ${MAX_PLACES} places; give more of the text around it`,
      { edit: index },
    );
  }
  if (found.length === 0) throw notFound(latin1, old_string, index);
  const wanted = expected_count ?? (replace_all ? found.length : 1);
  const overlapping = found.length === 1 ? findText(latin1, old_string, 2, true) : found;
  const certain = replace_all || overlapping.length === found.length;
  if (found.length === wanted && certain) return found;
  const starts = lineStarts(latin1);
  throw new EditError(
    'text_not_unique',
    `old_string is found ${found.length === 1 ? 'in overlapping places' : `${found.length} times`} and not ${wanted}; give more of the text around it, or set replace_all`,
    {
      edit: index,
      count: found.length,
      lines: found.slice(0, 20).map(({ start }) => lineAt(starts, start)),
    },
  );
}

function notFound(latin1: string, wanted: string, index: number): EditError {
  const starts = lineStarts(latin1);
  const firstLine = wanted.split(/\r\n|\n|\r/).find((line) => line.trim() !== '') ?? '';
  const lines = Array.from(starts.subarray(0, 20_000), (start, line) => ({
    line: line + 1,
    text: fromLatin1(latin1.slice(start, Math.min(lineEnd(latin1, start), start + 400))),
  }));
  const [closest] = mostSimilar(firstLine, lines, ({ text }) => text, 1);
  return new EditError(
    'text_not_found',
    closest
      ? `old_string is not in the note; the closest line is ${closest.line}: ${closest.text.trim()}`
      : 'old_string is not in the note; read it again',
    { edit: index, ...(closest && { closest }) },
  );
}

/** Replaces only the differing middle, without the common prefix and suffix. */
function replacing(latin1: string, found: Found, newString: string, eol: Eol): Replacement {
  const text = toLatin1(withEol(newString, '\n'));
  let [start, end] = [found.start, found.end];
  let [from, to] = [0, text.length];
  while (start < end && from < to) {
    const taken = sameAhead(latin1, start, text[from]!);
    if (taken === 0 || start + taken > end) break;
    start += taken;
    from++;
  }
  while (start < end && from < to) {
    const taken = sameBehind(latin1, end, text[to - 1]!);
    if (taken === 0 || end - taken < start) break;
    end -= taken;
    to--;
  }
  const inserted = text.slice(from, to).replaceAll('\n', eol);
  return { start, end, bytes: Buffer.from(inserted, 'latin1') };
}

function sameAhead(latin1: string, at: number, wanted: string): number {
  if (wanted !== '\n') return latin1[at] === wanted ? 1 : 0;
  if (latin1[at] === '\r') return latin1[at + 1] === '\n' ? 2 : 1;
  return latin1[at] === '\n' ? 1 : 0;
}

function sameBehind(latin1: string, end: number, wanted: string): number {
  if (wanted !== '\n') return latin1[end - 1] === wanted ? 1 : 0;
  if (latin1[end - 1] === '\n') return latin1[end - 2] === '\r' ? 2 : 1;
  return latin1[end - 1] === '\r' ? 1 : 0;
}
