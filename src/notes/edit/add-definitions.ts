import { type Definition, definitionsOf } from '../markdown/definitions.ts';
import type { ParsedNote } from '../markdown/parsed-note.ts';
import { EditError } from '../text/edit-error.ts';
import type { Replacement } from '../text/replacements.ts';
import { appendToNote, insertBlock } from './insert-block.ts';

/** One from another note; the text has one character a byte. */
export interface AddedDefinition extends Pick<Definition, 'label'> {
  readonly text: string;
}

/**
 * Puts definitions at the end of a note; one right below another could be part of it. The first
 * of a label counts, so that one whose label the note defines comes before that.
 */
export function addDefinitions(
  note: ParsedNote,
  added: readonly AddedDefinition[],
): Replacement[] | EditError {
  const own = new Map(
    definitionsOf(note)
      .toReversed()
      .map((one) => [one.label, one.start]),
  );
  const made: Replacement[] = [];
  for (const { label, text } of added.filter((one) => own.has(one.label))) {
    const put = insertBlock(note, own.get(label)!, text);
    if (put instanceof EditError) return put;
    made.push(put);
  }
  const texts = added.filter(({ label }) => !own.has(label)).map(({ text }) => text);
  if (texts.length === 0) return made;
  // One after the other they would make the note be read once for each.
  const last = appendToNote(note, texts.join(note.eol + note.eol));
  return last instanceof EditError ? last : [...made, last];
}
