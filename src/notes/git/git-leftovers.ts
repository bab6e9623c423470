/**
 * Clears up after a git that failed. One that finds no space leaves the beginning of a pack and a
 * report behind; with every further attempt there would be more, until whatever space is freed is
 * filled with them. Only what came into being during the attempt goes, and nothing that is open.
 */
import { readdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isHeldOpen, removeStaleLocks } from './git-locks.ts';
import type { GitProcess } from './git-process.ts';
import { gitPath, readHead } from './git-repository.ts';

/** In the folders of these, what fast-import names so. */
const LEFTOVERS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['fast_import_crash_1', /^fast_import_crash_\d+$/],
  ['objects/pack/tmp_pack_1', /^tmp_(pack|idx|rev)_/],
];
/** The clock of a filesystem is some milliseconds behind. */
const CLOCK_MS = 100;

/** Returns the names of the locks that a dead git had left. */
export async function tidyAfterFailure(
  git: GitProcess,
  root: string,
  begunMs: number,
  nowMs: number,
): Promise<string[]> {
  await removeLeftovers(git, root, begunMs).catch(() => {});
  const { ref } = await readHead(git).catch(() => ({ ref: undefined }));
  return removeStaleLocks(git, root, ref, nowMs).catch(() => []);
}

async function removeLeftovers(git: GitProcess, root: string, begunMs: number): Promise<void> {
  for (const [name, pattern] of LEFTOVERS) {
    const folder = dirname(await gitPath(git, root, name));
    const names = (await readdir(folder)).filter((name) => pattern.test(name));
    for (const file of names.map((name) => join(folder, name))) {
      const { ctimeMs } = await stat(file);
      if (ctimeMs >= begunMs - CLOCK_MS && !(await isHeldOpen(file))) await unlink(file);
    }
  }
}
