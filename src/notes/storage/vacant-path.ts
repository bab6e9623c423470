/**
 * Where a new file may stand. A name that differs from an existing one only in case or in Unicode
 * composition is taken, too: on another machine the two would be one file, and one would be lost.
 */
import { basename, dirname } from 'node:path';
import { Directory } from './directory.ts';
import { StorageError } from './storage-error.ts';
import type { VaultPath } from './vault-path.ts';

/** The path as it will be spelt: folders as they are on disk, the rest composed (NFC). */
export function vacantPath(
  root: string,
  path: VaultPath,
  isLeaving: (path: string) => boolean,
): VaultPath {
  let directory = Directory.openRoot(root);
  const folders = dirname(path) === '.' ? [] : dirname(path).split('/');
  try {
    for (const [index, name] of folders.entries()) {
      const spelt = directory.spelling(name);
      if (spelt === undefined) {
        const twin = directory.twin(name);
        if (twin !== undefined && !isLeaving(directory.path(twin))) throw folderTwin(twin);
        return directory
          .path([...folders.slice(index), basename(path)].join('/'))
          .normalize('NFC') as VaultPath;
      }
      const child = directory.child(spelt);
      directory.close();
      directory = child;
    }
    const name = basename(path).normalize('NFC');
    for (const there of [directory.spelling(name), directory.twin(name)]) {
      if (there !== undefined && !isLeaving(directory.path(there))) {
        throw occupied(directory.path(there));
      }
    }
    return directory.path(name) as VaultPath;
  } finally {
    directory.close();
  }
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
