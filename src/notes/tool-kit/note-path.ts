/** Parses the path of a note from a caller. */
import { posix } from 'node:path';
import type { Transaction } from '../changes/change-types.ts';
import { checkEncoding } from '../files/encoding.ts';
import { StorageError } from '../files/storage-error.ts';
import type { StoredFile } from '../files/stored-file.ts';
import { isNote, parseVaultPath, type VaultPath } from '../files/vault-path.ts';
import type { OpenVault } from '../vaults/open-vault.ts';
import { NotesError } from './notes-error.ts';

const HAS_EXTENSION = /\.(?:[A-Za-z0-9]{1,5}|canvas)$/;

/** `.md` may be omitted; other extensions are refused. */
export function notePath(input: string): VaultPath {
  const path = parseVaultPath(input);
  if (isNote(path)) return path;
  if (!HAS_EXTENSION.test(path)) return parseVaultPath(`${path}.md`);
  throw new StorageError('path_invalid', 'a note path ends in .md; give one that does', { path });
}

/** Any file of the vault; a path without extension is a note. */
export function filePath(input: string): VaultPath {
  return HAS_EXTENSION.test(input) ? parseVaultPath(input) : notePath(input);
}

/** The new path of a file, which must keep its extension. */
export function newPathOf(path: VaultPath, to: string): VaultPath {
  if (isNote(path)) return notePath(to);
  const target = parseVaultPath(to);
  const extension = posix.extname(path);
  if (posix.extname(target).toLowerCase() === extension.toLowerCase()) return target;
  const message = `a file keeps its extension; end "to" in "${extension}"`;
  throw new StorageError('path_invalid', message, { path: target });
}

/** Reads a note; `note_not_found` suggests similar paths. */
export async function readNote(open: OpenVault, path: VaultPath): Promise<StoredFile> {
  const file = await open.vault.find(path);
  if (file !== undefined) return file;
  throw await notFound(open, path);
}

/** Reads a file for writing; throws `note_not_found` or `hash_mismatch`. */
export async function readForWrite(
  open: OpenVault,
  transaction: Transaction,
  path: VaultPath,
  contentHash?: string,
): Promise<StoredFile> {
  if ((await transaction.find(path)) === undefined) throw await notFound(open, path);
  return transaction.read(path, contentHash);
}

/** As `readForWrite`, for an edit; throws `not_utf8` or `too_large`. */
export async function readText(
  open: OpenVault,
  transaction: Transaction,
  path: VaultPath,
  contentHash?: string,
): Promise<StoredFile> {
  const file = await readForWrite(open, transaction, path, contentHash);
  checkEditable(file);
  return file;
}

/** A larger note takes seconds to edit, and other large notes wait for it. */
const MAX_EDITED_BYTES = 4 * 1024 * 1024;

export function checkEditable({ path, bytes }: StoredFile): void {
  checkEncoding(path, bytes);
  if (bytes.length <= MAX_EDITED_BYTES) return;
  throw new StorageError(
    'too_large',
    `"${path}" has ${bytes.length} bytes, more than the ${MAX_EDITED_BYTES} that are edited; split it in an editor`,
    { path, bytes: bytes.length, max_bytes: MAX_EDITED_BYTES },
  );
}

/** Without suggestions if the index cannot answer. */
export async function notFound(open: OpenVault, asked: string): Promise<NotesError> {
  const similar = await open.index.similar(asked).catch(() => []);
  const meant = similar[0] === undefined ? '' : `did you mean "${similar[0]}"? `;
  const path = asked.slice(0, 200);
  return new NotesError(
    'note_not_found',
    `there is no "${path}"; ${meant}note_search finds notes`,
    {
      path,
      did_you_mean: similar,
    },
  );
}
