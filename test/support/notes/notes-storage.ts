/** A vault in a temporary directory with the parts of its storage, for tests of the storage. */
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createLog, type Log } from '../../../src/core/log/log.ts';
import { JournaledChanges } from '../../../src/notes/changes/changes.ts';
import { Journal } from '../../../src/notes/changes/journal.ts';
import { Trash } from '../../../src/notes/changes/trash.ts';
import { OwnWrites } from '../../../src/notes/files/own-writes.ts';
import { SeenVersions } from '../../../src/notes/files/seen-versions.ts';
import type { VaultPath } from '../../../src/notes/files/vault-path.ts';
import type { Cleaner } from '../programs/cleaner.ts';
import { PATIENCE_MS } from '../programs/patience.ts';

export async function temporaryDirectory(context: Cleaner): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'notes-')));
  context.after(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}

export interface StorageParts {
  readonly root: string;
  readonly journal: Journal;
  readonly trash: Trash;
  readonly seen: SeenVersions;
  readonly changes: JournaledChanges;
  readonly lines: string[];
}

export async function storageParts(
  context: Cleaner,
  options: { root?: string; now?: () => number; git?: boolean; own?: OwnWrites } = {},
): Promise<StorageParts> {
  const root = options.root ?? (await temporaryDirectory(context));
  const now = options.now ?? Date.now;
  const { log, lines } = recordingLog();
  const journal = await Journal.open(root, now);
  context.after(() => journal.close());
  const trash = new Trash(root, now);
  const seen = new SeenVersions((before, after) => `-${before}\n+${after}`);
  const git = options.git ?? false;
  const own = options.own ?? new OwnWrites();
  const changes = new JournaledChanges({ root, journal, trash, seen, git, log, own });
  return { root, journal, trash, seen, changes, lines };
}

export function recordingLog(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  return { log: createLog({ level: 'debug', write: (line) => lines.push(line) }), lines };
}

/** A path that the test knows to be right. */
export function at(path: string): VaultPath {
  return path as VaultPath;
}

export async function put(root: string, path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

export async function get(root: string, path: string): Promise<string> {
  return readFile(join(root, path), 'utf8');
}

/** Every file below a directory, hidden ones too, but not what the server keeps for itself. */
export async function tree(root: string): Promise<string[]> {
  return filesBelow(root, ['.notes', '.git']);
}

/** Folders left out are not looked into: git may be at work there. */
export async function filesBelow(root: string, leftOut: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  const folders = [''];
  for (const folder of folders) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) files.push(path);
      else if (!leftOut.includes(path)) folders.push(path);
    }
  }
  return files.sort();
}

/** For what no event announces: the work of another process. Gives up rather than hang. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('what was waited for did not happen');
    await delay(20);
  }
}
