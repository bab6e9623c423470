/** Creates a file at a path, or under a numbered name if the path is taken. */
import { basename, dirname, extname } from 'node:path/posix';
import type { AppliedChange } from '../changes/change-types.ts';
import { StorageError } from '../files/storage-error.ts';
import { parseVaultPath, type VaultPath } from '../files/vault-path.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

const MAX_NAMESAKES = 1000;
const MAX_NAME_BYTES = 255;

export interface NewFile {
  readonly tool: string;
  readonly path: VaultPath;
  readonly bytes: Buffer;
  /** If the path is taken: throw `note_exists`, or try `name 2`, `name 3` and so on. */
  readonly ifExists: 'fail' | 'suffix';
  readonly dryRun: boolean;
}

/**
 * Tries each name in a separate change, which creates the file or fails atomically, so concurrent
 * callers get different names.
 */
export async function createFile(
  open: OpenVault,
  { tool, path, bytes, ifExists, dryRun }: NewFile,
): Promise<AppliedChange & { readonly value: VaultPath }> {
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? path : numbered(path, count);
    try {
      return await open.vault.changes.run({ tool, scope: [candidate], dryRun }, (transaction) =>
        transaction.create(candidate, bytes),
      );
    } catch (error) {
      const taken = error instanceof StorageError && error.code === 'note_exists';
      if (!taken || ifExists === 'fail' || count === MAX_NAMESAKES) throw error;
    }
  }
}

function numbered(path: VaultPath, count: number): VaultPath {
  const extension = extname(path);
  const tail = ` ${count}${extension}`;
  const stem = basename(path, extension);
  const name = cutToBytes(stem, MAX_NAME_BYTES - Buffer.byteLength(tail)) + tail;
  const folder = dirname(path);
  return parseVaultPath(folder === '.' ? name : `${folder}/${name}`);
}

/** Truncates a text to at most `most` bytes, between characters. */
export function cutToBytes(text: string, most: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > most) return text.slice(0, end).trimEnd();
    end += character.length;
  }
  return text;
}
