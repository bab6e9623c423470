/** `note_frontmatter`: edits keys, tags and aliases of a note. */
import { type Schema, Type } from '../../mcp/schema.ts';
import type { FrontmatterEdit } from '../frontmatter/edit-frontmatter.ts';
import { NotesError } from '../tool-kit/notes-error.ts';
import { defineNotesTool, WRITES } from '../tool-kit/notes-tool.ts';
import { CONTENT_HASH, DRY_RUN, editNote, NOTE_PATH } from '../tool-writes/write.ts';

const ANY: Schema<unknown> = {};
const TEXTS = Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: 100 }));

export const noteFrontmatter = defineNotesTool({
  name: 'note_frontmatter',
  title: 'Edit frontmatter',
  description: 'Sets and removes single keys, tags and aliases; every other line is unchanged.',
  arguments: {
    path: NOTE_PATH,
    set: Type.Optional(Type.Record(Type.String(), ANY)),
    unset: TEXTS,
    add_tags: TEXTS,
    remove_tags: TEXTS,
    add_aliases: TEXTS,
    remove_aliases: TEXTS,
    content_hash: CONTENT_HASH,
    dry_run: DRY_RUN,
  },
  annotations: WRITES,
  run: async (args, call) => {
    const { path: _, content_hash: __, dry_run: ___, ...edit } = args;
    checkEdit(edit);
    return editNote(call, 'note_frontmatter', args, { frontmatter: edit });
  },
});

function checkEdit(edit: FrontmatterEdit): void {
  if (Object.values(edit).every((part) => Object.keys(part ?? {}).length === 0)) {
    throw new NotesError(
      'invalid_arguments',
      'nothing to change; give set, unset, tags or aliases',
    );
  }
  if (edit.set !== undefined && Object.hasOwn(edit.set, '__proto__')) {
    throw new NotesError('invalid_arguments', '"__proto__" cannot be a key; use another name');
  }
}
