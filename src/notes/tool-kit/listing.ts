/** Common to the tools that list: cursor, limit, folder and the state of the index. */
import { basename } from 'node:path';
import { type OptionalSchema, Type } from '../../mcp/schema.ts';
import { openParent } from '../files/directory.ts';
import { spelledPath } from '../files/spelled-path.ts';
import { asStorageError } from '../files/storage-error.ts';
import { parseFolder } from '../files/vault-path.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

export const CURSOR: OptionalSchema<string> = Type.Optional(Type.String({ maxLength: 2000 }));

export const PREFIX: OptionalSchema<string> = Type.Optional(
  Type.String({ maxLength: 1024, description: 'Only below this folder.' }),
);

export function limitOf(usual: number, most: number): OptionalSchema<number> {
  return Type.Optional(Type.Integer({ minimum: 1, maximum: most, default: usual }));
}

/**
 * The folder as spelled on disk, which may differ in case or Unicode composition. Path traversal,
 * hidden names and symbolic links are refused.
 */
export async function readPrefix(
  { vault }: OpenVault,
  prefix: string | undefined,
): Promise<{ prefix?: string }> {
  const asked = parseFolder(prefix ?? '');
  if (asked === '') return {};
  try {
    const folder = spelledPath(vault.root, asked);
    using parent = openParent(vault.root, folder);
    const name = parent?.spelling(basename(folder));
    return { prefix: parent && name !== undefined ? parent.path(name) : folder };
  } catch (error) {
    throw asStorageError(error);
  }
}

/** Fields for every result while the index is not complete. */
export function unlessReady({ index }: OpenVault): object {
  const { state, indexed, onDisk, reason } = index.state();
  if (state === 'ready') return {};
  return { index_state: state, indexed, on_disk: onDisk, ...(reason && { reason }) };
}
