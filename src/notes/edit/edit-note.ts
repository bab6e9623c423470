/** Every edit of one note, as data, so that a worker thread can apply it. */

import { editFrontmatter, type FrontmatterEdit } from '../frontmatter/edit-frontmatter.ts';
import { parseNote } from '../markdown/parse-note.ts';
import { commonEol } from '../text/lines.ts';
import { applyReplacements, type Replacement } from '../text/replacements.ts';
import { editSection, type SectionEdit } from './edit-section.ts';
import { editTask, type TaskEdit } from './edit-task.ts';
import { editText, type TextEdit } from './edit-text.ts';

export type NoteEdit =
  | { readonly whole: string }
  | { readonly texts: readonly TextEdit[] }
  | { readonly section: SectionEdit }
  | { readonly frontmatter: FrontmatterEdit }
  | { readonly task: TaskEdit };

/** The bytes of the note after the edit. */
export function editNoteBytes(bytes: Buffer, edit: NoteEdit): Buffer {
  if ('whole' in edit) return Buffer.from(edit.whole);
  return applyReplacements(bytes, replacementsOf(bytes, edit));
}

function replacementsOf(
  bytes: Buffer,
  edit: Exclude<NoteEdit, { readonly whole: string }>,
): readonly Replacement[] {
  if ('texts' in edit) {
    return editText({ bytes, eol: commonEol(bytes.toString('latin1')) }, edit.texts);
  }
  const note = parseNote(bytes);
  if ('section' in edit) return editSection(note, edit.section);
  return 'task' in edit ? editTask(note, edit.task) : editFrontmatter(note, edit.frontmatter);
}
