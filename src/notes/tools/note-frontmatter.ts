/** `note_frontmatter`: edits keys, tags and aliases of a note. */
import { type Schema, Type } from '../../mcp/schema.ts';
import type { FrontmatterEdit } from '../frontmatter/edit-frontmatter.ts';
import { FILTERS, readFilters } from '../tool-kit/filters.ts';
import { NotesError } from '../tool-kit/notes-error.ts';
import { defineNotesTool, WRITES } from '../tool-kit/notes-tool.ts';
import { editManyFrontmatters } from '../tool-writes/batch-frontmatter.ts';
import { CONTENT_HASH, DRY_RUN, editNote, NOTE_PATH } from '../tool-writes/write.ts';

const { prefix, glob, tags, where } = FILTERS;
const BATCH = { prefix, glob, tags, where } as const;
const ANY: Schema<unknown> = {};
const TEXTS = Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: 100 }));

export const noteFrontmatter = defineNotesTool({
  name: 'note_frontmatter',
  title: 'Edit frontmatter',
  description:
    'Sets and removes single keys, tags and aliases; every other line is unchanged. In one note (path) or all that match notes: first a dry run (default), then dry_run: false with its plan_hash.',
  arguments: {
    path: Type.Optional(NOTE_PATH),
    notes: Type.Optional(Type.Object(BATCH, { additionalProperties: false })),
    set: Type.Optional(Type.Record(Type.String(), ANY)),
    unset: TEXTS,
    add_tags: TEXTS,
    remove_tags: TEXTS,
    add_aliases: TEXTS,
    remove_aliases: TEXTS,
    content_hash: CONTENT_HASH,
    dry_run: DRY_RUN,
    plan_hash: Type.Optional(Type.String()),
  },
  annotations: WRITES,
  run: async (args, call) => {
    const { open, parts } = call;
    const { path, notes, content_hash, dry_run, plan_hash, ...edit } = args;
    checkEdit(edit);
    if ((path === undefined) === (notes === undefined)) {
      throw new NotesError('invalid_arguments', 'give either path or notes');
    }
    if (path !== undefined) {
      if (plan_hash !== undefined) throw inapplicable('plan_hash', 'notes');
      return editNote(call, 'note_frontmatter', { ...args, path }, { frontmatter: edit });
    }
    if (content_hash !== undefined) throw inapplicable('content_hash', 'path');
    if (Object.keys(notes!).length === 0) {
      throw new NotesError('invalid_arguments', 'notes is empty; give a folder, tags or where');
    }
    const filter = await readFilters(open, notes!, parts.now());
    const batch = { filter, edit, dryRun: dry_run ?? true, planHash: plan_hash };
    return { vault: open.name, ...(await editManyFrontmatters(open, batch)) };
  },
});

function inapplicable(argument: string, other: string): NotesError {
  const message = `${argument} applies only with ${other}; omit it`;
  return new NotesError('invalid_arguments', message);
}

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
