/**
 * Cleans up after a git process that failed.
 *
 * A git that runs out of disk space leaves a partial pack and a crash report behind; retries would
 * add more until they fill whatever space is freed. Only files created during the attempt and not
 * held open are removed.
 *
 * A git that died leaves lock files, which block every git after it. The lock of a running git,
 * such as a long `git add` of the owner, must stay, or its work is lost. So a lock is removed only
 * when it is old and no process has it open.
 */
import { readdir, readlink, realpath, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DAY_MS } from '../../core/time.ts';
import type { GitProcess } from './git-process.ts';
import { gitPath, readHead } from './git-repository.ts';

/** Files that fast-import leaves: a name that gives their folder, and their pattern. */
const LEFTOVERS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['fast_import_crash_1', /^fast_import_crash_\d+$/],
  ['objects/pack/tmp_pack_1', /^tmp_(pack|idx|rev)_/],
];
/** The clock of a filesystem lags by some milliseconds. */
const CLOCK_LAG_MS = 100;

const STALE_MS = 60_000;
/** For a lock that is open, or that cannot be checked. */
const HELD_STALE_MS = DAY_MS;

/** Returns the names of the locks it removed. */
export async function cleanUpAfterFailure(
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
      if (ctimeMs >= begunMs - CLOCK_LAG_MS && !(await isHeldOpen(file))) await unlink(file);
    }
  }
}

async function removeStaleLocks(
  git: GitProcess,
  root: string,
  ref: string | undefined,
  now: number,
): Promise<string[]> {
  const names = ['index', 'HEAD', 'packed-refs', 'config'];
  if (ref !== undefined) names.push(ref);
  const removed: string[] = [];
  for (const name of names) {
    if (await removeStale(`${await gitPath(git, root, name)}.lock`, now)) {
      removed.push(`${name}.lock`);
    }
  }
  return removed;
}

async function removeStale(lock: string, now: number): Promise<boolean> {
  try {
    const age = now - (await stat(lock)).mtimeMs;
    if (age < STALE_MS) return false;
    if (age < HELD_STALE_MS && (await isHeldOpen(lock))) return false;
    await unlink(lock);
    return true;
  } catch {
    return false;
  }
}

/** Whether a process has the file open; true without /proc, where that is unknown. */
async function isHeldOpen(file: string): Promise<boolean> {
  const names = await readdir('/proc').catch(() => []);
  const processes = names.filter((name) => /^\d+$/.test(name));
  if (processes.length === 0) return true;
  const target = await realpath(file);
  for (const id of processes) {
    // Processes of other users hide their open files.
    const open = await readdir(`/proc/${id}/fd`).catch(() => []);
    const targets = open.map((fd) => readlink(`/proc/${id}/fd/${fd}`).catch(() => ''));
    if ((await Promise.all(targets)).includes(target)) return true;
  }
  return false;
}
