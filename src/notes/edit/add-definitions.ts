import { type Definition, definitionsOf } from '../markdown/definitions.ts';
import type { ParsedNote } from '../markdown/parsed-note.ts';
import type { Replacement } from '../text/replacements.ts';
import { appendToNote, insertBlock } from './insert-block.ts';

/** A definition copied from another note. `text` has one character per byte. */
export interface AddedDefinition extends Pick<Definition, 'label'> {
  readonly text: string;
}

/**
 * Appends definitions to a note, each after an empty line so that none becomes part of another.
 * Markdown uses the first definition of a label, so a label the note already defines is inserted
 * before its own definition.
 */
export function addDefinitions(note: ParsedNote, added: readonly AddedDefinition[]): Replacement[] {
  const own = new Map(
    definitionsOf(note)
      .toReversed()
      .map((one) => [one.label, one.start]),
  );
  const made = added
    .filter(({ label }) => own.has(label))
    .map(({ label, text }) => insertBlock(note, own.get(label)!, text));
  const texts = added.filter(({ label }) => !own.has(label)).map(({ text }) => text);
  if (texts.length === 0) return made;
  return [...made, appendToNote(note, texts.join(note.eol + note.eol))];
}
