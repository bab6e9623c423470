/**
 * Paths as they are spelt on disk, so that reading, editing and creating agree about letter case. A
 * name matches exactly, in another Unicode form, or as the only one in another letter case.
 */
import { basename, dirname } from 'node:path/posix';
import { Directory } from './directory.ts';
import { StorageError } from './storage-error.ts';
import { parseVaultPath, type VaultPath } from './vault-path.ts';

/** Names that do not exist stay as they are. */
export function spelledPath(root: string, path: VaultPath): VaultPath {
  const names = path.split('/');
  const spelt: string[] = [];
  try {
    let next = Directory.openRoot(root);
    for (const [at, name] of names.entries()) {
      using directory = next;
      const found = directory.spelling(name) ?? directory.onlyTwin(name);
      if (found === undefined) break;
      spelt.push(found);
      if (at < names.length - 1) next = directory.child(found);
    }
  } catch (error) {
    // A file or a link instead of a folder is refused when the path is opened.
    if (!(error instanceof StorageError)) throw error;
  }
  return parseVaultPath([...spelt, ...names.slice(spelt.length)].join('/'));
}

/** As `spelledPath` for the folder alone: a new name may differ from another in case. */
export function inSpelledFolder(root: string, path: VaultPath): VaultPath {
  const folder = dirname(path);
  if (folder === '.') return path;
  return parseVaultPath(`${spelledPath(root, folder as VaultPath)}/${basename(path)}`);
}
