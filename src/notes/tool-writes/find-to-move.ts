/** Resolves the source and target of `note_move`; an ambiguous source is refused. */
import { posix } from 'node:path';
import type { Transaction } from '../changes/change-types.ts';
import { openFolder } from '../files/directory.ts';
import { spelledPath } from '../files/spelled-path.ts';
import { StorageError } from '../files/storage-error.ts';
import type { StoredFile } from '../files/stored-file.ts';
import { isNote, parseFolder, parseVaultPath, type VaultPath } from '../files/vault-path.ts';
import { takeFile } from '../tool-kit/find-note.ts';
import { newPathOf } from '../tool-kit/note-path.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

export type ToMove =
  | {
      readonly kind: 'file';
      readonly path: VaultPath;
      readonly file: StoredFile;
      readonly warnings?: readonly string[];
    }
  | { readonly kind: 'folder'; readonly path: VaultPath };

/** A file, a folder, or a note named without `.md`. */
export async function findToMove(
  open: OpenVault,
  transaction: Transaction,
  asked: string,
  now: Date,
): Promise<ToMove> {
  const { root } = open.vault;
  if (asked.endsWith('/')) return { kind: 'folder', path: spelledPath(root, folderNamed(asked)) };
  const path = spelledPath(root, parseVaultPath(asked));
  const isAFolder = isFolder(open, path);
  const file = isAFolder ? undefined : await transaction.find(path);
  const note = isNote(path) ? undefined : await transaction.find(parseVaultPath(`${path}.md`));
  if (note !== undefined && (isAFolder || file !== undefined)) {
    throw new StorageError(
      'path_invalid',
      `"${path}" is both a note without .md and another file or folder; write "${path}.md" or "${path}/"`,
      { path },
    );
  }
  if (isAFolder) return { kind: 'folder', path };
  const found = file ?? note;
  if (found === undefined) {
    const { path: named, warnings } = await takeFile(open, asked, now);
    return { kind: 'file', path: named, file: await transaction.read(named), warnings };
  }
  return { kind: 'file', path: found.path, file: found };
}

/** For a file, a `to` that ends in `/` is a folder, and the name is kept. */
export function targetOf(open: OpenVault, found: ToMove, to: string): VaultPath {
  if (found.kind === 'folder') return folderNamed(to);
  const name = posix.basename(found.path);
  if (to.endsWith('/')) {
    const folder = parseFolder(to);
    return parseVaultPath(folder === '' ? name : `${folder}/${name}`);
  }
  if (!isNote(to) && isFolder(open, parseVaultPath(to))) {
    const message = `"${to}" is a folder; write "${to}/" to move into it, or name the file`;
    throw new StorageError('path_invalid', message, { path: to });
  }
  return newPathOf(found.path, to);
}

function folderNamed(input: string): VaultPath {
  const folder = parseFolder(input);
  if (folder !== '') return folder;
  throw new StorageError('path_invalid', 'the vault root cannot be moved; name a folder', {
    path: input,
  });
}

function isFolder(open: OpenVault, path: VaultPath): boolean {
  try {
    using folder = openFolder(open.vault.root, path);
    return folder !== undefined;
  } catch (error) {
    if (error instanceof StorageError) return false;
    throw error;
  }
}
