/** The paths of captures, daily notes and attachments in a vault. */

import { spelledPath } from '../files/spelled-path.ts';
import { parseVaultPath, type VaultPath } from '../files/vault-path.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

export const INBOX = 'inbox.md' as VaultPath;
/** For captures with a title. */
export const INBOX_FOLDER = 'inbox';
const DAILY_FOLDER = 'daily';
export const ATTACHMENTS_FOLDER = 'attachments';

/** The daily note of a day such as `2026-11-15`. */
export function dailyNote(open: OpenVault, day: string): VaultPath {
  return asSpeltIn(open, `${DAILY_FOLDER}/${day}.md`);
}

/** The path with its folders as spelled in the vault, such as `Daily` for `daily`. */
export function asSpeltIn({ vault }: OpenVault, path: string): VaultPath {
  return spelledPath(vault.root, parseVaultPath(path));
}
