/** `note_frontmatter`: edits keys, tags and aliases of a note. */
import { type Schema, Type } from '../../mcp/schema.ts';
import { contentHash } from '../files/content-hash.ts';
import { parseVaultPath } from '../files/vault-path.ts';
import type { FrontmatterEdit } from '../frontmatter/edit-frontmatter.ts';
import type { FileFilter } from '../index/query/file-filter.ts';
import { editedNote } from '../large-notes/heavy-notes.ts';
import { diff } from '../text/diff.ts';
import { FILTERS, readFilters } from '../tool-kit/filters.ts';
import { clip } from '../tool-kit/fit.ts';
import { invalidArguments, NotesError } from '../tool-kit/notes-error.ts';
import { defineNotesTool, WRITES } from '../tool-kit/notes-tool.ts';
import { unreadNotes, whenIndexed } from '../tool-writes/mend-links.ts';
import {
  firstFiles,
  MAX_PLAN_BYTES,
  MAX_SHOWN,
  type PlannedNote,
  type PlanRequest,
  planFields,
  runPlan,
} from '../tool-writes/planned-change.ts';
import { CONTENT_HASH, DRY_RUN, editNote, NOTE_PATH } from '../tool-writes/write.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

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
      throw invalidArguments('give either path or notes');
    }
    if (path !== undefined) {
      if (plan_hash !== undefined) throw inapplicable('plan_hash', 'notes');
      return editNote(call, 'note_frontmatter', { ...args, path }, { frontmatter: edit });
    }
    if (content_hash !== undefined) throw inapplicable('content_hash', 'path');
    if (Object.keys(notes!).length === 0) {
      throw invalidArguments('notes is empty; give a folder, tags or where');
    }
    const filter = await readFilters(open, notes!, parts.now());
    const request = { tool: 'note_frontmatter', dryRun: dry_run ?? true, planHash: plan_hash };
    return { vault: open.name, ...(await editAll(open, request, filter, edit)) };
  },
});

function inapplicable(argument: string, other: string): NotesError {
  return invalidArguments(`${argument} applies only with ${other}; omit it`);
}

function checkEdit(edit: FrontmatterEdit): void {
  if (Object.values(edit).every((part) => Object.keys(part ?? {}).length === 0)) {
    throw invalidArguments('nothing to change; give set, unset, tags or aliases');
  }
  if (edit.set !== undefined && Object.hasOwn(edit.set, '__proto__')) {
    throw invalidArguments('"__proto__" cannot be a key; use another name');
  }
}

const MAX_NOTES = 2000;
const PAGE = 500;
const MAX_DIFF_LENGTH = 600;
const MAX_WARNINGS = 10;

async function editAll(
  open: OpenVault,
  request: PlanRequest,
  filter: FileFilter,
  edit: FrontmatterEdit,
): Promise<object> {
  const { plan, change } = await runPlan(open, request, () => planOf(open, filter, edit));
  const { about, git } = planFields(open, plan.hash, change);
  const shown = plan.notes.slice(0, MAX_SHOWN).map(({ path, before, after }) => ({
    path,
    diff: clip(diff(before, after), MAX_DIFF_LENGTH),
  }));
  return {
    ...about,
    notes: plan.notes.length,
    unchanged: plan.unchanged,
    ...firstFiles(shown, plan.notes.length),
    warnings: [...plan.refused.slice(0, MAX_WARNINGS), ...unreadNotes(open)],
    git,
  };
}

async function planOf(open: OpenVault, filter: FileFilter, edit: FrontmatterEdit) {
  await whenIndexed(open);
  const notes: (PlannedNote & { readonly before: Buffer; readonly after: Buffer })[] = [];
  const refused: string[] = [];
  let [unchanged, size] = [0, 0];
  for (const asked of await pathsOf(open, filter)) {
    const file = await open.vault.find(parseVaultPath(asked));
    if (file === undefined) continue;
    const { path, bytes: before, contentHash: hash } = file;
    try {
      const after = await editedNote(before, { frontmatter: edit });
      if (after.equals(before)) unchanged++;
      else notes.push({ path, hash, before, after, edited: () => after });
      size += before.length + after.length;
    } catch (error) {
      if (!(error instanceof NotesError)) throw error;
      refused.push(`"${path}" stays as it is: ${error.message}`);
    }
    if (size > MAX_PLAN_BYTES) throw tooMany('the notes are too large for one change');
  }
  const planned = notes.map(({ path, hash, after }) => [path, hash, contentHash(after)]);
  return { notes, unchanged, refused, hash: contentHash(Buffer.from(JSON.stringify(planned))) };
}

async function pathsOf({ index }: OpenVault, filter: FileFilter): Promise<string[]> {
  const paths: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await index.list({ ...filter, limit: PAGE, ...(cursor && { cursor }) });
    paths.push(...page.items.map(({ path }) => path));
    if (paths.length > MAX_NOTES) throw tooMany(`more than ${MAX_NOTES} notes match`);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return paths;
}

function tooMany(what: string): NotesError {
  return new NotesError('limit_exceeded', `${what}; narrow the filter`, { max_notes: MAX_NOTES });
}
