/** The paths of captures, daily notes and attachments in a vault. */

import { posix } from 'node:path';
import { spelledPath } from '../files/spelled-path.ts';
import { parseVaultPath, type VaultPath } from '../files/vault-path.ts';
import { formatMoment } from '../habits/moment-format.ts';
import type { VaultHabits } from '../habits/vault-habits.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

export const INBOX = 'inbox.md' as VaultPath;
/** For captures with a title. */
export const INBOX_FOLDER = 'inbox';
const DAILY_FOLDER = 'daily';
const ATTACHMENTS_FOLDER = 'attachments';

/** The daily note of a day such as `2026-11-15`, where the person's own settings put it. */
export function dailyNote(open: OpenVault, day: string, { daily }: VaultHabits): VaultPath {
  if (daily === undefined) return asSpeltIn(open, `${DAILY_FOLDER}/${day}.md`);
  const name = `${formatMoment(new Date(`${day}T00:00`), daily.format)}.md`;
  return asSpeltIn(open, daily.folder === '' ? name : `${daily.folder}/${name}`);
}

/** The path of a new attachment; the folder may be relative to the note that it is for. */
export function attachmentPlace(
  open: OpenVault,
  name: string,
  { attachments = ATTACHMENTS_FOLDER }: VaultHabits,
  note: string | undefined,
): VaultPath {
  const isRelative = attachments.startsWith('./');
  if (isRelative && note === undefined) return asSpeltIn(open, `${ATTACHMENTS_FOLDER}/${name}`);
  const folder = isRelative ? posix.join(posix.dirname(note!), attachments) : attachments;
  return asSpeltIn(open, posix.join(folder, name));
}

/** Opens a file in Obsidian, if the vault is used with it; `{}` otherwise. */
export function obsidianLink(
  open: OpenVault,
  path: string,
  { editor }: VaultHabits,
): { obsidian?: string } {
  if (editor !== 'obsidian') return {};
  const [vault, file] = [open.name, path.replace(/\.md$/i, '')].map(encodeURIComponent);
  return { obsidian: `obsidian://open?vault=${vault}&file=${file}` };
}

/** The path with its folders as spelled in the vault, such as `Daily` for `daily`. */
export function asSpeltIn({ vault }: OpenVault, path: string): VaultPath {
  return spelledPath(vault.root, parseVaultPath(path));
}
