/**
 * Refuses an edit that changes the outline around it, such as content with an unclosed fence. The
 * edited note is parsed again and must have exactly the same headings outside the edit.
 */
import { parseNote } from '../markdown/parse-note.ts';
import type { Heading, ParsedNote } from '../markdown/parsed-note.ts';
import { invalidArguments } from '../text/edit-error.ts';
import { applyReplacements, inOrder, type Replacement } from '../text/replacements.ts';

export type Outlined = Pick<Heading, 'level' | 'text'>;

/** Returns the replacements in order. `expected` are the headings of the edited note, in any order. */
export function keepingStructure(
  note: ParsedNote,
  replacements: readonly Replacement[],
  expected?: readonly Outlined[],
): Replacement[] {
  const edited = parseNote(applyReplacements(note.bytes, replacements));
  const ordered = inOrder(replacements);
  const kept = outsideBefore(note, ordered);
  const found = outsideAfter(edited, ordered);
  const changed = kept.find((heading, index) => heading !== found[index]) ?? found[kept.length];
  if (changed === undefined && !!note.frontmatter === !!edited.frontmatter) {
    if (expected === undefined || isOutline(edited, expected)) return ordered;
    throw invalidArguments(
      'a heading would become part of the list before it; remove the spaces before its marks',
    );
  }
  const heading = changed?.slice(changed.indexOf(' ') + 1);
  throw invalidArguments(
    heading === undefined
      ? 'the content would change where the frontmatter ends; begin it with an empty line'
      : `the content would change the heading "${heading}" outside it; close the fences and comments it opens`,
    heading === undefined ? {} : { heading },
  );
}

/** By their texts, too: headings in lists count where there are no others, and could make up the number. */
function isOutline({ headings }: ParsedNote, expected: readonly Outlined[]): boolean {
  if (headings.length !== expected.length) return false;
  const texts = (outline: readonly Outlined[]) =>
    outline.map(({ level, text }) => `${level} ${text}`).sort();
  const wanted = texts(expected);
  return texts(headings).every((text, at) => text === wanted[at]);
}

/** The headings outside the replaced ranges, at their new offsets. */
function outsideBefore(note: ParsedNote, ordered: readonly Replacement[]): string[] {
  const kept: string[] = [];
  let next = 0;
  let shift = 0;
  for (const { start, level, text } of note.headings) {
    for (; next < ordered.length && ordered[next]!.end <= start; next++) {
      shift += ordered[next]!.bytes.length - (ordered[next]!.end - ordered[next]!.start);
    }
    if ((ordered[next]?.start ?? start + 1) <= start) continue;
    kept.push(`${start + shift}:${level} ${text}`);
  }
  return kept;
}

/** The headings outside the inserted text. */
function outsideAfter(edited: ParsedNote, ordered: readonly Replacement[]): string[] {
  const inserted: { from: number; to: number }[] = [];
  let shift = 0;
  for (const { start, end, bytes } of ordered) {
    inserted.push({ from: start + shift, to: start + shift + bytes.length });
    shift += bytes.length - (end - start);
  }
  const found: string[] = [];
  let next = 0;
  for (const { start, level, text } of edited.headings) {
    while (next < inserted.length && inserted[next]!.to <= start) next++;
    if ((inserted[next]?.from ?? start + 1) <= start) continue;
    found.push(`${start}:${level} ${text}`);
  }
  return found;
}
