/**
 * Removes the locks that a dead git has left behind, which would stop every git after it. The lock
 * of one that still runs, such as a long `git add` of the owner, is his: without it his work is
 * lost. So a lock must be old, and no process may have it open.
 */
import { readdir, readlink, realpath, stat, unlink } from 'node:fs/promises';
import { DAY_MS } from '../../core/time.ts';
import type { GitProcess } from './git-process.ts';
import { gitPath } from './git-repository.ts';

const STALE_MS = 60_000;
/** For a lock that is open, or of which nobody can tell. */
const HELD_STALE_MS = DAY_MS;

export async function removeStaleLocks(
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

/** Whether a process has a file open; without /proc, where none can be seen, one may. */
export async function isHeldOpen(file: string): Promise<boolean> {
  const names = await readdir('/proc').catch(() => []);
  const processes = names.filter((name) => /^\d+$/.test(name));
  if (processes.length === 0) return true;
  const place = await realpath(file);
  for (const id of processes) {
    // Those of other users do not show what they have open.
    const open = await readdir(`/proc/${id}/fd`).catch(() => []);
    const places = open.map((fd) => readlink(`/proc/${id}/fd/${fd}`).catch(() => ''));
    if ((await Promise.all(places)).includes(place)) return true;
  }
  return false;
}
