/**
 * The changes that are owed a commit: journaled while git was on, but not in its history, because
 * the server ended in between. What a change wrote is what the next change of the same file found
 * (its before-image) or, after the last one, what lies on disk. A file that somebody else has
 * changed meanwhile is left out: its content between the two is not known.
 */
import { constants, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { DAY_MS } from '../../core/time.ts';
import type { Position } from '../changes/change-id.ts';
import type { AppliedChange, ChangedFile } from '../changes/change-types.ts';
import type { Journal } from '../changes/journal.ts';
import type { BeginRecord } from '../changes/journal-record.ts';
import { exists } from '../changes/steps.ts';
import { openFolder, using } from '../files/directory.ts';
import { StorageError } from '../files/storage-error.ts';
import { isExecutable, readStoredFile } from '../files/stored-file.ts';
import { isBelow, type VaultPath } from '../files/vault-path.ts';
import { listFiles } from '../files/walk.ts';
import { CHANGE_TRAILER, type CommittedPath } from './git-commit.ts';
import type { GitProcess } from './git-process.ts';
import { ofHead } from './git-repository.ts';

const MARK = 'committed';
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Where in the journal everything before has its commit; undefined before git was ever on. */
export async function readCommitCursor(root: string): Promise<Position | undefined> {
  const folder = openFolder(root, '.notes/journal');
  if (folder === undefined) return undefined;
  const text = await using(folder, (directory) =>
    readFile(directory.at(MARK), 'utf8').catch(() => ''),
  );
  const match = /^(\d+) (\d+)\n$/.exec(text);
  return match ? { segment: Number(match[1]), offset: Number(match[2]) } : undefined;
}

/** Only a hint where to start looking, so it needs no sync. A link in its place is not followed. */
export async function writeCommitCursor(
  root: string,
  { segment, offset }: Position,
): Promise<void> {
  const folder = openFolder(root, '.notes/journal');
  if (folder === undefined) return;
  await using(folder, async (directory) => {
    const temporary = `${MARK}.tmp`;
    await rm(directory.at(temporary), { force: true });
    await writeFile(directory.at(temporary), `${segment} ${offset}\n`, { flag: CREATE });
    await rename(directory.at(temporary), directory.at(MARK));
  });
}

export interface Owed {
  readonly owed: readonly AppliedChange[];
  readonly committed: ReadonlyMap<string, string>;
  /** Paths of changes that are committed, whose place in the index may still be old. */
  readonly paths: readonly CommittedPath[];
}

export async function owedChanges(
  git: GitProcess,
  journal: Journal,
  root: string,
  from: Position,
): Promise<Owed> {
  const records: BeginRecord[] = [];
  const reverted = new Set<string>();
  for await (const record of journal.since(from)) {
    if (record.type === 'begin' && record.git) records.push(record);
    if (record.type === 'end' && record.outcome === 'reverted') reverted.add(record.id);
  }
  const made = records.filter(({ id }) => !reverted.has(id) && !journal.isOpen(id));
  if (made.length === 0) return { owed: [], committed: new Map(), paths: [] };
  const committed = await committedChanges(git, made[0]!.at);
  const owed: AppliedChange[] = [];
  const tracked = new Set((await headTree(git)).keys());
  for (const [index, record] of made.entries()) {
    if (committed.has(record.id)) continue;
    const change = await rebuilt(root, record, made.slice(index + 1), tracked);
    if (change.files.length + change.gone.length > 0) owed.push(change);
  }
  const landed = made.map(({ id }) => committed.get(id)).filter((commit) => commit !== undefined);
  return { owed, committed, paths: await pathsOf(git, landed) };
}

/**
 * The commit of each change; a day is allowed for clocks that were set back. All of the history is
 * looked through: below a commit with an old date, such as one that was rebased, ours may lie.
 */
async function committedChanges(git: GitProcess, since: string): Promise<Map<string, string>> {
  const seconds = Math.floor((Date.parse(since) - DAY_MS) / 1000);
  const format = `--format=%(trailers:key=${CHANGE_TRAILER},valueonly,separator=) %H`;
  const log = (...since: string[]) => ofHead(git, ['log', ...since, format, 'HEAD', '--']);
  const logged = await log(`--since-as-filter=@${seconds}`).catch((error) => {
    // Git before 2.37 has no such option; it tells of more than is asked for.
    if (/unrecognized argument/.test(String(error))) return log();
    throw error;
  });
  const pairs = logged
    .toString()
    .split('\n')
    .map((line) => line.split(' ') as [string, string]);
  return new Map(pairs.filter(([changeId]) => changeId !== ''));
}

/** What HEAD has at the paths of some commits, which the index may not have learnt. */
async function pathsOf(git: GitProcess, commits: readonly string[]): Promise<CommittedPath[]> {
  if (commits.length === 0) return [];
  const touched = await git.run(
    ['diff-tree', '-r', '-z', '--name-only', '--no-commit-id', '--stdin'],
    {
      input: Buffer.from(`${commits.join('\n')}\n`),
    },
  );
  const entries = await headTree(git);
  const paths = new Set(
    touched
      .toString()
      .split('\0')
      .filter((path) => path !== ''),
  );
  return [...paths].map((path) => entries.get(path) ?? { path, blob: undefined, mode: '0' });
}

/** Everything HEAD has; nothing where there is no commit yet. */
async function headTree(git: GitProcess): Promise<Map<string, CommittedPath>> {
  const list = ['ls-tree', '-r', '-z', '--full-tree', 'HEAD'];
  const listed = await ofHead(git, list);
  const entries = new Map<string, CommittedPath>();
  for (const line of listed.toString().split('\0')) {
    const [about, path] = line.split('\t', 2);
    const [mode, , blob] = about!.split(' ');
    if (path !== undefined) entries.set(path, { path, blob, mode: mode! });
  }
  return entries;
}

/**
 * What the change left where, followed through its operations. `tracked` are the paths that the
 * history has before it, and after the call those it has then: a folder may have moved on since, so
 * that the disk no longer tells what went with it.
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
      const there = (await listFiles(root, operation.to)).map(
        ({ path }) => operation.from + path.slice(operation.to.length),
      );
      for (const from of new Set([...known, ...there])) {
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
    (path) => !isOurs(path) && !isBack(root, path, later),
  ) as VaultPath[];
  for (const path of gone) tracked.delete(path);
  for (const { path } of files) tracked.add(path);
  return { changeId: record.id, tool: record.tool, files, gone };
}

function isOurs(path: string): boolean {
  return path.startsWith('.notes/');
}

/** Whether somebody else has put a file where the change took one away. */
function isBack(root: string, path: string, later: readonly BeginRecord[]): boolean {
  const operations = later.flatMap((record) => record.operations);
  const places = operations.map((operation) =>
    operation.kind === 'write' ? operation.path : operation.to,
  );
  if (places.some((place) => place === path || isBelow(path, place))) return false;
  try {
    return exists(root, path);
  } catch (error) {
    // Its folder has become a file or a link.
    if (error instanceof StorageError) return false;
    throw error;
  }
}

/**
 * What stood at a path after a change: the bytes that the next change of the file found, or those
 * on disk, wherever it was moved meanwhile. Without a hash, of a file that only went along with its
 * folder, they are believed. No change touches the mode, so it is the one that the file has now.
 */
async function content(
  root: string,
  path: string,
  hash: string | undefined,
  later: readonly BeginRecord[],
): Promise<{ after: Buffer; executable: boolean } | undefined> {
  let place = path;
  let image: Buffer | undefined;
  for (const operation of later.flatMap(({ operations }) => operations)) {
    if (operation.kind === 'write') {
      if (operation.path !== place || image !== undefined) continue;
      if (operation.before === undefined) return undefined;
      if (hash !== undefined && operation.beforeHash !== hash) return undefined;
      image = operation.before;
    } else if (operation.from === place) {
      place = operation.to;
    } else if (operation.folder !== undefined && isBelow(place, operation.from)) {
      place = operation.to + place.slice(operation.from.length);
    }
  }
  if (image !== undefined) {
    const now = await readStoredFile(root, place).catch(() => undefined);
    return { after: image, executable: now !== undefined && isExecutable(now) };
  }
  const stored = await readStoredFile(root, place);
  if (stored === undefined || (hash !== undefined && stored.contentHash !== hash)) return undefined;
  return { after: stored.bytes, executable: isExecutable(stored) };
}
