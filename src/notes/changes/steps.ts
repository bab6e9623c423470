/** File operations shared by applying a change and rolling it back. */
import { lstatSync, renameSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { moveWithin, nameExists } from '../files/atomic-write.ts';
import { type Directory, makeParent, openFolder, openParent } from '../files/directory.ts';
import { isBelow } from '../files/vault-path.ts';

const MAX_CONCURRENT = 4;

/** Hidden, of bounded length and derived from the journal, so that recovery can remove it. */
export function temporaryName(id: string, index: number | string): string {
  return `.~${id}-${index}.tmp`;
}

/** Opens the parent of `path`, creating it; `touched` collects directories to sync. */
export function makeFolders(root: string, path: string, touched: Set<string>): Directory {
  return makeParent(root, path, (folder) => {
    const parent = dirname(folder);
    touched.add(parent === '.' ? '' : parent);
  });
}

/** The parent folders of `path` that do not exist yet, outermost first. */
export function missingFolders(root: string, path: string): string[] {
  const missing: string[] = [];
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    using directory = openFolder(root, folder);
    if (directory !== undefined) break;
    missing.unshift(folder);
  }
  return missing;
}

/** Moves an entry; never replaces another. */
export function moveEntry(
  from: Directory,
  name: string,
  to: Directory,
  newName: string,
  folder: boolean,
): void {
  const onlyRespelt = from.folder === to.folder && isSameEntry(from, name, newName);
  if (!folder && !onlyRespelt) moveWithin(from, name, to, newName);
  else if (!onlyRespelt && to.has(newName)) throw nameExists(newName);
  else renameSync(from.at(name), to.at(newName));
}

/** On a filesystem that ignores case both spellings name one entry. */
function isSameEntry(directory: Directory, name: string, other: string): boolean {
  const a = lstatSync(directory.at(name), { throwIfNoEntry: false });
  const b = lstatSync(directory.at(other), { throwIfNoEntry: false });
  return a !== undefined && b !== undefined && a.ino === b.ino && a.nlink === 1;
}

/** Rewrites the paths of `touched` below a folder that has moved. */
export function moveTouched(touched: Set<string>, from: string, to: string): void {
  for (const folder of [...touched]) {
    if (folder !== from && !isBelow(folder, from)) continue;
    touched.delete(folder);
    touched.add(to + folder.slice(from.length));
  }
}

export async function syncFolders(root: string, folders: Iterable<string>): Promise<void> {
  await inParallel([...folders], async (folder) => {
    using directory = openFolder(root, folder);
    await directory?.sync();
  });
}

export async function inParallel<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lanes = Array.from({ length: Math.min(MAX_CONCURRENT, items.length) }, async () => {
    while (next < items.length) await work(items[next++]!);
  });
  const failed = (await Promise.allSettled(lanes)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

export function exists(root: string, path: string): boolean {
  using directory = openParent(root, path);
  return directory?.has(basename(path)) ?? false;
}
