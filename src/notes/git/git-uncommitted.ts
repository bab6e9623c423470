/**
 * Finds changes without a commit: journaled while git was on, but missing from its history because
 * the server stopped in between. The content after a change is the before-image of the next change
 * of the file or, after the last one, the file on disk. A file that was changed from outside in
 * between is left out, because its content is not known.
 */
import { constants, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { DAY_MS } from '../../core/time.ts';
import type { Position } from '../changes/change-id.ts';
import type { AppliedChange, ChangedFile } from '../changes/change-types.ts';
import type { Journal } from '../changes/journal.ts';
import type { BeginRecord } from '../changes/journal-record.ts';
import { JOURNAL_FOLDER } from '../changes/journal-segments.ts';
import { exists } from '../changes/steps.ts';
import { openFolder } from '../files/directory.ts';
import { StorageError } from '../files/storage-error.ts';
import { isExecutable, readStoredFile } from '../files/stored-file.ts';
import { isBelow, type VaultPath } from '../files/vault-path.ts';
import { listFiles } from '../files/walk.ts';
import { CHANGE_TRAILER, type CommittedPath, removedPath } from './git-commit.ts';
import type { GitProcess } from './git-process.ts';
import { ofHead } from './git-repository.ts';

const CURSOR_FILE = 'committed';
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** The journal position before which every change is committed; undefined if there is no cursor. */
export async function readCommitCursor(root: string): Promise<Position | undefined> {
  using folder = openFolder(root, JOURNAL_FOLDER);
  if (folder === undefined) return undefined;
  const text = await readFile(folder.at(CURSOR_FILE), 'utf8').catch(() => '');
  const match = /^(\d+) (\d+)\n$/.exec(text);
  return match ? { segment: Number(match[1]), offset: Number(match[2]) } : undefined;
}

/** Only a hint where to start, so it is not synced. A link in its place is not followed. */
export async function writeCommitCursor(
  root: string,
  { segment, offset }: Position,
): Promise<void> {
  using folder = openFolder(root, JOURNAL_FOLDER);
  if (folder === undefined) return;
  const temporary = folder.at(`${CURSOR_FILE}.tmp`);
  await rm(temporary, { force: true });
  await writeFile(temporary, `${segment} ${offset}\n`, { flag: CREATE });
  await rename(temporary, folder.at(CURSOR_FILE));
}

export interface Uncommitted {
  readonly changes: readonly AppliedChange[];
  /** The commit of each change that has one, by change id. */
  readonly committed: ReadonlyMap<string, string>;
  /** Paths of committed changes whose index entries may be stale. */
  readonly paths: readonly CommittedPath[];
}

export async function uncommittedChanges(
  git: GitProcess,
  journal: Journal,
  root: string,
  from: Position,
): Promise<Uncommitted> {
  const records: BeginRecord[] = [];
  const reverted = new Set<string>();
  for await (const record of journal.since(from)) {
    if (record.type === 'begin' && record.git) records.push(record);
    if (record.type === 'end' && record.outcome === 'reverted') reverted.add(record.id);
  }
  const made = records.filter(({ id }) => !reverted.has(id) && !journal.isOpen(id));
  if (made.length === 0) return { changes: [], committed: new Map(), paths: [] };
  const committed = await committedChanges(git, made[0]!.at);
  const changes: AppliedChange[] = [];
  const tracked = new Set((await headTree(git)).keys());
  for (const [index, record] of made.entries()) {
    if (committed.has(record.id)) continue;
    const change = await rebuilt(root, record, made.slice(index + 1), tracked);
    if (change.files.length + change.gone.length > 0) changes.push(change);
  }
  const landed = made.map(({ id }) => committed.get(id)).filter((commit) => commit !== undefined);
  return { changes, committed, paths: await pathsOf(git, landed) };
}

/**
 * The commit of each change since a time, with a day of tolerance for clock changes. It searches
 * the whole history: commits with old dates (a rebase, for example) may be newer than ours.
 */
async function committedChanges(git: GitProcess, since: string): Promise<Map<string, string>> {
  const seconds = Math.floor((Date.parse(since) - DAY_MS) / 1000);
  const format = `--format=%(trailers:key=${CHANGE_TRAILER},valueonly,separator=) %H`;
  const log = (...since: string[]) => ofHead(git, ['log', ...since, format, 'HEAD', '--']);
  const logged = await log(`--since-as-filter=@${seconds}`).catch((error) => {
    // Git before 2.37 has no such option: search without a limit.
    if (/unrecognized argument/.test(String(error))) return log();
    throw error;
  });
  const pairs = logged
    .toString()
    .split('\n')
    .map((line) => line.split(' ') as [string, string]);
  return new Map(pairs.filter(([changeId]) => changeId !== ''));
}

/** The entries of HEAD at the paths of some commits. */
async function pathsOf(git: GitProcess, commits: readonly string[]): Promise<CommittedPath[]> {
  if (commits.length === 0) return [];
  const list = ['diff-tree', '-r', '-z', '--name-only', '--no-commit-id', '--stdin'];
  const touched = await git.run(list, { input: Buffer.from(`${commits.join('\n')}\n`) });
  const entries = await headTree(git);
  const paths = new Set(touched.toString().split('\0').filter(Boolean));
  const nothing = '0'.repeat(commits[0]!.length);
  return [...paths].map((path) => entries.get(path) ?? removedPath(path, nothing));
}

/** All entries of HEAD by path; empty before the first commit. */
async function headTree(git: GitProcess): Promise<Map<string, CommittedPath>> {
  const listed = await ofHead(git, ['ls-tree', '-r', '-z', '--full-tree', 'HEAD']);
  const entries = new Map<string, CommittedPath>();
  for (const line of listed.toString().split('\0')) {
    const [about, path] = line.split('\t', 2);
    const [mode, , blob] = about!.split(' ');
    if (path !== undefined) entries.set(path, { path, blob: blob!, mode: mode! });
  }
  return entries;
}

/**
 * Rebuilds a change from its journaled operations. `tracked` has the paths of the history before
 * the change and is updated to those after it; it gives the files of a folder that has moved again
 * since.
 */
async function rebuilt(
  root: string,
  record: BeginRecord,
  later: readonly BeginRecord[],
  tracked: Set<string>,
): Promise<AppliedChange> {
  const hashes = new Map<string, string | undefined>();
  const left = new Set<string>();
  for (const operation of record.operations) {
    if (operation.kind === 'write') {
      hashes.set(operation.path, operation.afterHash);
    } else if (operation.folder === undefined) {
      left.add(operation.from);
      hashes.delete(operation.from);
      hashes.set(operation.to, operation.hash);
    } else {
      const known = [...tracked].filter((path) => isBelow(path, operation.from));
      const present = (await listFiles(root, operation.to)).map(
        ({ path }) => operation.from + path.slice(operation.to.length),
      );
      for (const from of new Set([...known, ...present])) {
        left.add(from);
        hashes.set(operation.to + from.slice(operation.from.length), hashes.get(from));
        hashes.delete(from);
      }
    }
  }
  const files: ChangedFile[] = [];
  for (const [path, hash] of hashes) {
    left.delete(path);
    const found = isOurs(path) ? undefined : await content(root, path, hash, later);
    if (found !== undefined) files.push({ path: path as VaultPath, ...found });
  }
  const gone = [...left].filter(
    (path) => !isOurs(path) && !isRecreated(root, path, later),
  ) as VaultPath[];
  for (const path of gone) tracked.delete(path);
  for (const { path } of files) tracked.add(path);
  return { changeId: record.id, tool: record.tool, files, gone };
}

function isOurs(path: string): boolean {
  return path.startsWith('.notes/');
}

/** Whether someone else has put a file at a path that the change vacated. */
function isRecreated(root: string, path: string, later: readonly BeginRecord[]): boolean {
  const operations = later.flatMap((record) => record.operations);
  const paths = operations.map((operation) =>
    operation.kind === 'write' ? operation.path : operation.to,
  );
  if (paths.some((other) => other === path || isBelow(path, other))) return false;
  try {
    return exists(root, path);
  } catch (error) {
    // Its folder was replaced by a file or a link.
    if (error instanceof StorageError) return false;
    throw error;
  }
}

/**
 * The content of a path after a change: the before-image of the next change of the file, or the
 * file on disk, followed through later moves. It must have the given hash; a file that only moved
 * with its folder has none. The mode is the current one, since changes do not alter it.
 */
async function content(
  root: string,
  path: string,
  hash: string | undefined,
  later: readonly BeginRecord[],
): Promise<{ after: Buffer; executable: boolean } | undefined> {
  let current = path;
  let image: Buffer | undefined;
  for (const operation of later.flatMap(({ operations }) => operations)) {
    if (operation.kind === 'write') {
      if (operation.path !== current || image !== undefined) continue;
      if (operation.before === undefined) return undefined;
      if (hash !== undefined && operation.beforeHash !== hash) return undefined;
      image = operation.before;
    } else if (operation.from === current) {
      current = operation.to;
    } else if (operation.folder !== undefined && isBelow(current, operation.from)) {
      current = operation.to + current.slice(operation.from.length);
    }
  }
  if (image !== undefined) {
    const now = await readStoredFile(root, current).catch(() => undefined);
    return { after: image, executable: now !== undefined && isExecutable(now) };
  }
  const stored = await readStoredFile(root, current);
  if (stored === undefined || (hash !== undefined && stored.contentHash !== hash)) return undefined;
  return { after: stored.bytes, executable: isExecutable(stored) };
}
