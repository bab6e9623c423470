/** The arguments and the result that all writing tools share. */
import { Type } from '../../mcp/schema.ts';
import type { AppliedChange, ChangedFile } from '../changes/change-types.ts';
import type { NoteEdit } from '../edit/edit-note.ts';
import { isNote } from '../files/vault-path.ts';
import { editedNote } from '../large-notes/heavy-notes.ts';
import { diff } from '../text/diff.ts';
import { takeNote } from '../tool-kit/find-note.ts';
import { readText } from '../tool-kit/note-path.ts';
import type { NotesCall } from '../tool-kit/notes-tool.ts';
import type { OpenVault } from '../vaults/open-vault.ts';
import { warningsOf } from './warnings.ts';

export const NOTE_PATH = Type.String({ description: 'Path, name, title or alias.' });
export const CONTENT_HASH = Type.Optional(
  Type.String({ description: 'Refuses if the file changed since.' }),
);
export const DRY_RUN = Type.Optional(Type.Boolean({ description: 'Write nothing.' }));

/** The arguments that name a heading. */
export const HEADING_ADDRESS = {
  heading: Type.Optional(Type.String()),
  heading_path: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 6 })),
  line: Type.Optional(Type.Integer({ minimum: 1 })),
} as const;

export interface WriteArguments {
  readonly content_hash?: string;
  readonly dry_run?: boolean;
}

/** The result of every write. */
export interface Written {
  readonly vault: string;
  readonly path: string;
  /** Null if there is no note at the path after the change. */
  readonly content_hash: string | null;
  /** Null for a dry run and if no byte changed. */
  readonly change_id: string | null;
  readonly diff: string;
  readonly warnings: readonly string[];
  readonly git: {
    /** Null while the commit is pending, and with git off. */
    readonly commit: string | null;
    readonly push: 'off' | 'queued' | 'ok' | 'failing';
  };
}

export function written(
  open: OpenVault,
  path: string,
  change: AppliedChange,
  warnings: readonly string[] = [],
): Written {
  const file = change.files.findLast((changed) => changed.path === path);
  return {
    vault: open.name,
    path,
    content_hash: file?.contentHash ?? null,
    change_id: change.changeId,
    diff: file === undefined ? '' : diffOf(file),
    warnings,
    git: gitOf(open, change.changeId),
  };
}

/** As `written`, with warnings. A change that updates links reports those itself (`mendsLinks`). */
export async function reported(
  open: OpenVault,
  path: string,
  change: AppliedChange,
  warnings: readonly string[] = [],
  mendsLinks = false,
): Promise<Written> {
  const file = change.files.findLast((changed) => changed.path === path);
  const isDryRun = change.changeId === null;
  const mended = mendsLinks && isDryRun ? change.files.map((changed) => changed.path) : [];
  const found = file === undefined ? [] : await warningsOf(open, file, mended);
  return written(open, path, change, [...warnings, ...found]);
}

export function gitOf({ vault }: OpenVault, changeId: string | null): Written['git'] {
  if (vault.git === undefined) return { commit: null, push: 'off' };
  const commit = changeId === null ? null : vault.git.commitOf(changeId);
  return { commit, push: vault.git.state().push };
}

/** Reads, edits and writes one note, named by path, name, title or alias, in one change. */
export async function editNote(
  { open, parts }: NotesCall,
  tool: string,
  args: WriteArguments & { readonly path: string },
  edit: NoteEdit,
): Promise<Written> {
  const { path, warnings } = await takeNote(open, args.path, parts.now());
  const request = { tool, scope: [path], dryRun: args.dry_run === true };
  const change = await open.vault.changes.run(request, async (transaction) => {
    const file = await readText(open, transaction, path, args.content_hash);
    const bytes = await editedNote(file.bytes, edit);
    if (!bytes.equals(file.bytes)) await transaction.write(file.path, bytes);
    return file;
  });
  const { path: spelt, contentHash } = change.value;
  const result = await reported(open, spelt, change, warnings);
  return result.content_hash === null ? { ...result, content_hash: contentHash } : result;
}

/** Attachments have no diff. */
function diffOf({ path, before, after }: ChangedFile): string {
  if (!isNote(path)) return '';
  return diff(before ?? Buffer.alloc(0), after ?? Buffer.alloc(0));
}
