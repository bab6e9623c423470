/**
 * Whether a path is free for a new file. A name that differs from an existing one only in case or
 * Unicode form is not: on other systems the two would be one file, and one would be lost.
 */
import { basename, dirname } from 'node:path';
import { Directory, openParent } from '../files/directory.ts';
import { StorageError } from '../files/storage-error.ts';
import type { VaultPath } from '../files/vault-path.ts';
import type { PutBack } from './change-types.ts';

/** The path as it will be spelt: folders as on disk, the rest in NFC; `putBack` keeps the name. */
export function vacantPath(
  root: string,
  path: VaultPath,
  isLeaving: (path: string) => boolean,
  putBack?: PutBack,
): VaultPath {
  const name = putBack ? basename(path) : basename(path).normalize('NFC');
  const folders = dirname(path) === '.' ? [] : dirname(path).split('/');
  let next = Directory.openRoot(root);
  for (const [index, folder] of folders.entries()) {
    using directory = next;
    const spelt = directory.spelling(folder);
    if (spelt === undefined) {
      const twin = directory.twin(folder);
      if (twin !== undefined && !isLeaving(directory.path(twin))) throw folderTwin(twin);
      const made = folders.slice(index).map((missing) => missing.normalize('NFC'));
      return directory.path([...made, name].join('/')) as VaultPath;
    }
    next = directory.child(spelt);
  }
  using parent = next;
  const twins = putBack?.besideTwin ? [] : [parent.spelling(name), parent.twin(name)];
  for (const there of [parent.has(name) ? name : undefined, ...twins]) {
    if (there !== undefined && !isLeaving(parent.path(there))) throw occupied(parent.path(there));
  }
  return parent.path(name) as VaultPath;
}

/** Whether another entry differs from it only in case or Unicode form. */
export function hasTwin(root: string, path: string): boolean {
  using parent = openParent(root, path);
  return parent?.twin(basename(path)) !== undefined;
}

export function occupied(path: string): StorageError {
  return new StorageError('note_exists', `"${path}" exists already; choose another path`, { path });
}

function folderTwin(name: string): StorageError {
  return new StorageError(
    'path_invalid',
    `a folder spelt "${name}" exists already; use that spelling`,
    { name },
  );
}
