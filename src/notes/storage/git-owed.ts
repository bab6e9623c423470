/**
 * The changes that are owed a commit: journaled while git was on, but not in its history, because
 * the server ended in between. What a change wrote is what the next change of the same file found
 * (its before-image) or, after the last one, what lies on disk. A file that somebody else has
 * changed meanwhile is left out: its content between the two is not known.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { AppliedChange, ChangedFile } from './change-types.ts';
import { contentHash } from './content-hash.ts';
import { openFolder, using } from './directory.ts';
import { CHANGE_TRAILER } from './git-commit.ts';
import type { GitProcess } from './git-process.ts';
import type { Journal, Position } from './journal.ts';
import type { BeginRecord } from './journal-record.ts';
import { readStoredFile } from './stored-file.ts';
import type { VaultPath } from './vault-path.ts';

const MARK = 'committed';
const DAY_MS = 24 * 60 * 60 * 1000;

/** Where in the journal everything before has its commit; undefined before git was ever on. */
export async function readMark(root: string): Promise<Position | undefined> {
  const folder = openFolder(root, '.notes/journal');
  if (folder === undefined) return undefined;
  const text = await using(folder, (directory) =>
    readFile(directory.at(MARK), 'utf8').catch(() => ''),
  );
  const match = /^(\d+) (\d+)\n$/.exec(text);
  return match ? { segment: Number(match[1]), offset: Number(match[2]) } : undefined;
}

/** Only a hint where to start looking, so it needs no sync. */
export async function writeMark(root: string, { segment, offset }: Position): Promise<void> {
  const folder = openFolder(root, '.notes/journal');
  if (folder === undefined) return;
  await using(folder, async (directory) => {
    await writeFile(directory.at(`${MARK}.tmp`), `${segment} ${offset}\n`);
    await rename(directory.at(`${MARK}.tmp`), directory.at(MARK));
  });
}

export async function owedChanges(
  git: GitProcess,
  journal: Journal,
  root: string,
  from: Position,
): Promise<AppliedChange[]> {
  const records: BeginRecord[] = [];
  const reverted = new Set<string>();
  for await (const record of journal.since(from)) {
    if (record.type === 'begin' && record.git) records.push(record);
    if (record.type === 'end' && record.outcome === 'reverted') reverted.add(record.id);
  }
  const made = records.filter(({ id }) => !reverted.has(id) && !journal.isOpen(id));
  if (made.length === 0) return [];
  const committed = await committedChanges(git, made[0]!.at);
  const owed: AppliedChange[] = [];
  for (const [index, record] of made.entries()) {
    if (committed.has(record.id)) continue;
    const change = await rebuilt(root, record, made.slice(index + 1));
    if (change.files.length + change.gone.length > 0) owed.push(change);
  }
  return owed;
}

/** A day is allowed for clocks that were set back. */
async function committedChanges(git: GitProcess, since: string): Promise<Set<string>> {
  const seconds = Math.floor((Date.parse(since) - DAY_MS) / 1000);
  const format = `--format=%(trailers:key=${CHANGE_TRAILER},valueonly)`;
  const log = ['log', `--since=@${seconds}`, format, 'HEAD', '--'];
  const { stdout } = await git.ask(log, { answers: [128] });
  return new Set(stdout.toString().split('\n'));
}

async function rebuilt(
  root: string,
  record: BeginRecord,
  later: readonly BeginRecord[],
): Promise<AppliedChange> {
  const files: ChangedFile[] = [];
  const gone = new Set<VaultPath>();
  const at = new Map<string, string>();
  for (const operation of record.operations) {
    if (operation.kind === 'write') {
      at.set(operation.path, operation.afterHash);
      continue;
    }
    const moved = operation.folder === undefined ? operation.hash! : undefined;
    if (moved === undefined) {
      for (const [path, hash] of [...at]) {
        if (!path.startsWith(`${operation.from}/`)) continue;
        at.delete(path);
        at.set(operation.to + path.slice(operation.from.length), hash);
      }
    } else {
      at.delete(operation.from);
      at.set(operation.to, moved);
    }
    gone.add(operation.from as VaultPath);
  }
  for (const [path, hash] of at) {
    gone.delete(path as VaultPath);
    const after = path.startsWith('.notes/') ? undefined : await content(root, path, hash, later);
    if (after !== undefined) files.push({ path: path as VaultPath, after });
  }
  const left = [...gone].filter((path) => !path.startsWith('.notes/'));
  return { changeId: record.id, tool: record.tool, files, gone: left };
}

async function content(
  root: string,
  path: string,
  hash: string,
  later: readonly BeginRecord[],
): Promise<Buffer | undefined> {
  for (const { operations } of later) {
    for (const operation of operations) {
      if (operation.kind !== 'write' || operation.path !== path) continue;
      return operation.beforeHash === hash ? operation.before : undefined;
    }
  }
  const stored = await readStoredFile(root, path);
  return stored && contentHash(stored.bytes) === hash ? stored.bytes : undefined;
}
