/** Checks that the data directory is usable; a problem is one line with its cause and its fix. */
import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { unexpandedAdvice } from '../../core/config/value.ts';
import { LOCK_FILE } from './data-lock.ts';

const { R_OK, W_OK, X_OK } = constants;

/** Relative to the root of a vault. */
export const INDEX_FILE = '.notes/index.db';

/** What the server writes in a vault besides notes. */
const OWN = ['.notes', '.notes/trash', '.notes/journal', '.git', INDEX_FILE];

/** `read`: nothing is written. `serve`: as `write`, but a read-only filesystem is only read. */
export type DataUse = 'read' | 'serve' | 'write';

/** Undefined when this process can read, write and search the directory. */
export function dataDirectoryProblem(
  directory: string,
  use: DataUse = 'write',
): string | undefined {
  const found = statOf(directory);
  const { uid, gid } = identity();
  if (found === undefined) {
    const advice = unexpandedAdvice(relative(process.cwd(), directory));
    if (advice !== '') return `${directory} does not exist${advice}`;
    return `${directory} does not exist; make it with: install -d -m 700 -o ${uid} -g ${gid} ${directory}`;
  }
  if (!found.isDirectory()) return `${directory} is not a directory; set NOTES_DATA to one`;
  const lock = join(directory, LOCK_FILE);
  return accessProblem(directory, found, directory, use) ?? ownProblem(lock, directory, use);
}

/** The same for a vault in it and the server's files there. */
export function vaultProblem(
  data: string,
  name: string,
  use: DataUse = 'write',
): string | undefined {
  const root = join(data, name);
  const paths = [root, ...OWN.map((path) => join(root, path))];
  return paths.map((path) => ownProblem(path, data, use)).find((problem) => problem !== undefined);
}

function ownProblem(path: string, data: string, use: DataUse): string | undefined {
  const found = statOf(path);
  return found && accessProblem(path, found, data, use);
}

/** The fix covers the whole data directory, because other files likely have the same owner. */
function accessProblem(path: string, found: Stats, data: string, use: DataUse): string | undefined {
  try {
    // Files such as the index, or the .git of a worktree, need no X_OK.
    const write = use === 'read' ? 0 : W_OK;
    accessSync(path, found.isDirectory() ? R_OK | write | X_OK : R_OK | write);
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EROFS') {
      if (use === 'serve') return accessProblem(path, found, data, 'read');
      return `${path} is on a read-only filesystem; mount it writable`;
    }
    const { uid, gid } = identity();
    const owner = `${found.uid}:${found.gid}`;
    const cure = found.uid === uid ? `chmod -R u+rwX ${data}` : `chown -R ${uid}:${gid} ${data}`;
    return `${path} is owned by ${owner} and not writable for uid ${uid}; run: ${cure}`;
  }
}

/** Undefined also where a parent directory may not be searched, which is reported separately. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function identity(): { readonly uid: number; readonly gid: number } {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}
