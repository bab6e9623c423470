/**
 * Edits the frontmatter of all notes of a filter in one change. The dry run returns the hash of its
 * plan; the real run requires it and is refused if a note has changed since or others match.
 */
import type { AppliedChange } from '../changes/change-types.ts';
import { contentHash } from '../files/content-hash.ts';
import type { StoredFile } from '../files/stored-file.ts';
import { parseVaultPath } from '../files/vault-path.ts';
import type { FrontmatterEdit } from '../frontmatter/edit-frontmatter.ts';
import type { FileFilter } from '../index/query/file-filter.ts';
import { editedNote } from '../large-notes/heavy-notes.ts';
import { diff } from '../text/diff.ts';
import { clip, countFitting } from '../tool-kit/fit.ts';
import { NotesError } from '../tool-kit/notes-error.ts';
import type { OpenVault } from '../vaults/open-vault.ts';
import { unreadNotes, whenIndexed } from './mend-links.ts';
import { gitOf } from './write.ts';

export interface BatchEdit {
  readonly filter: FileFilter;
  readonly edit: FrontmatterEdit;
  readonly dryRun: boolean;
  readonly planHash: string | undefined;
}

const MAX_NOTES = 2000;
const PAGE = 500;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_SHOWN = 30;
const MAX_DIFF_LENGTH = 600;
const MAX_WARNINGS = 10;

interface PlannedNote {
  readonly file: StoredFile;
  readonly after: Buffer;
}

interface Plan {
  /** The notes that the edit changes. */
  readonly notes: readonly PlannedNote[];
  readonly unchanged: number;
  /** Why notes are left as they are. */
  readonly refused: readonly string[];
  readonly hash: string;
}

export async function editManyFrontmatters(open: OpenVault, batch: BatchEdit): Promise<object> {
  const { dryRun, planHash } = batch;
  if (!dryRun && planHash === undefined) {
    const message = 'plan_hash is missing; make a dry run, review it and send its plan_hash';
    throw new NotesError('invalid_arguments', message);
  }
  await whenIndexed(open);
  const plan = await planOf(open, batch);
  if (!dryRun && plan.hash !== planHash) throw stale();
  const change = dryRun ? undefined : await carryOut(open, plan);
  const shown = plan.notes.slice(0, MAX_SHOWN).map(({ file, after }) => ({
    path: file.path,
    diff: clip(diff(file.bytes, after), MAX_DIFF_LENGTH),
  }));
  const files = shown.slice(0, countFitting(shown));
  const left = plan.notes.length - files.length;
  return {
    dry_run: dryRun,
    change_id: change?.changeId ?? null,
    plan_hash: plan.hash,
    notes: plan.notes.length,
    unchanged: plan.unchanged,
    files,
    ...(left > 0 && { files_left_out: left }),
    warnings: [...plan.refused.slice(0, MAX_WARNINGS), ...unreadNotes(open)],
    git: gitOf(open, change?.changeId ?? null),
  };
}

async function planOf(open: OpenVault, { filter, edit }: BatchEdit): Promise<Plan> {
  const notes: PlannedNote[] = [];
  const refused: string[] = [];
  let [unchanged, bytes] = [0, 0];
  for (const path of await pathsOf(open, filter)) {
    const file = await open.vault.find(parseVaultPath(path));
    if (file === undefined) continue;
    try {
      const after = await editedNote(file.bytes, { frontmatter: edit });
      if (after.equals(file.bytes)) unchanged++;
      else notes.push({ file, after });
      bytes += file.bytes.length + after.length;
    } catch (error) {
      if (!(error instanceof NotesError)) throw error;
      refused.push(`"${path}" stays as it is: ${error.message}`);
    }
    if (bytes > MAX_BYTES) throw tooMany('the notes are too large for one change');
  }
  const planned = notes.map(({ file, after }) => [file.path, file.contentHash, contentHash(after)]);
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

async function carryOut(open: OpenVault, { notes }: Plan): Promise<AppliedChange> {
  const scope = notes.map(({ file }) => file.path);
  return open.vault.changes.run({ tool: 'note_frontmatter', scope }, async (transaction) => {
    for (const { file, after } of notes) {
      const now = await transaction.find(file.path);
      if (now?.contentHash !== file.contentHash) throw stale(file.path);
      await transaction.write(now.path, after);
    }
  });
}

function tooMany(what: string): NotesError {
  return new NotesError('limit_exceeded', `${what}; narrow the filter`, { max_notes: MAX_NOTES });
}

function stale(path?: string): NotesError {
  return new NotesError(
    'plan_stale',
    'notes have changed since the dry run; make another and review it',
    path === undefined ? {} : { path },
  );
}
