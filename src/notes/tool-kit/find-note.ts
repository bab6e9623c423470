/**
 * Finds a note by path, name, alias, title or day. A path on disk takes precedence; an ambiguous
 * name is refused. Names resolve through the index, so none reaches a hidden file.
 */
import { spelledPath } from '../files/spelled-path.ts';
import { StorageError } from '../files/storage-error.ts';
import type { StoredFile } from '../files/stored-file.ts';
import {
  isNote,
  parseVaultPath,
  pathProblem,
  spellingKey,
  type VaultPath,
} from '../files/vault-path.ts';
import { readHabits } from '../habits/vault-habits.ts';
import type { OpenVault } from '../vaults/open-vault.ts';
import { readDay } from './moments.ts';
import { notePath, notFound, readNote } from './note-path.ts';
import { NotesError } from './notes-error.ts';
import { dailyNote } from './places.ts';

const DAILY = 'daily:';
const MAX_CANDIDATES = 20;
const MAX_NAME_LENGTH = 200;

/** Throws `note_not_found`; if the name is ambiguous, the data list the candidates. */
export async function findNote(open: OpenVault, asked: string, now: Date): Promise<StoredFile> {
  if (asked.startsWith(DAILY)) return readNote(open, await daily(open, asked, now));
  const problem = pathProblem(asked);
  // A title may begin with a dot, such as `.NET`; any other invalid path is refused here.
  const isTitle = problem?.code === 'path_hidden' && !asked.includes('/');
  if (!isTitle) parseVaultPath(asked);
  const { file, refusal } = isTitle ? {} : await findPath(open, asked);
  if (file !== undefined) return file;
  const named = await open.index.resolve(asked);
  if (named.length === 1) return readNote(open, parseVaultPath(named[0]!.path));
  if (named.length > 1) throw ambiguous(asked, named);
  parseVaultPath(asked);
  throw refusal ?? (await notFound(open, asked));
}

/** A file that a writing tool was asked for. */
export interface Taken {
  readonly path: VaultPath;
  /** Says which file was taken, if a name, a title or an alias was given instead of its path. */
  readonly warnings: readonly string[];
}

/** As `findNote`, for a tool that writes: also an attachment, by its path. */
export async function takeFile(open: OpenVault, asked: string, now: Date): Promise<Taken> {
  const { path } = await findNote(open, asked, now);
  const isPath = [path, path.replace(/\.md$/i, '')].some(
    (own) => spellingKey(own) === spellingKey(asked),
  );
  const name = asked.slice(0, MAX_NAME_LENGTH);
  return { path, warnings: isPath ? [] : [`"${name}" was taken for "${path}"`] };
}

/** As `takeFile`; refuses an attachment. */
export async function takeNote(open: OpenVault, asked: string, now: Date): Promise<Taken> {
  const taken = await takeFile(open, asked, now);
  return isNote(taken.path) ? taken : { ...taken, path: notePath(taken.path) };
}

/** As `findNote`, but only the path, and also for notes that no longer exist. */
export async function findPathOf(open: OpenVault, asked: string, now: Date): Promise<VaultPath> {
  if (asked.startsWith(DAILY)) return daily(open, asked, now);
  try {
    return (await findNote(open, asked, now)).path;
  } catch (error) {
    const gone = error instanceof NotesError && error.data.candidates === undefined;
    if (!gone || error.code !== 'note_not_found') throw error;
    return parseVaultPath(
      isNote(asked) || /\.(?:[a-z0-9]{1,5}|canvas)$/i.test(asked) ? asked : `${asked}.md`,
    );
  }
}

async function daily(open: OpenVault, asked: string, now: Date): Promise<VaultPath> {
  const day = readDay(asked.slice(DAILY.length), now);
  return dailyNote(open, day, await readHabits(open.vault));
}

/** The file at the path, or the note with `.md` appended. */
async function findPath(
  open: OpenVault,
  asked: string,
): Promise<{ file?: StoredFile; refusal?: StorageError }> {
  let refusal: StorageError | undefined;
  for (const path of isNote(asked) ? [asked] : [asked, `${asked}.md`]) {
    if (pathProblem(path) !== undefined) continue;
    try {
      const file = await open.vault.find(spelledPath(open.vault.root, path as VaultPath));
      if (file !== undefined) return { file };
    } catch (error) {
      // A folder may have the name or title of a note elsewhere.
      if (!(error instanceof StorageError) || error.code !== 'path_invalid') throw error;
      refusal ??= error;
    }
  }
  return refusal === undefined ? {} : { refusal };
}

function ambiguous(
  asked: string,
  named: readonly { readonly path: string; readonly title: string }[],
): NotesError {
  const name = asked.slice(0, MAX_NAME_LENGTH);
  return new NotesError(
    'note_not_found',
    `${named.length} notes are called "${name}"; give the path of the one you mean`,
    { path: name, candidates: named.slice(0, MAX_CANDIDATES).map(({ path }) => path) },
  );
}
