/** Where captures, daily notes and attachments have their place in a vault, and what a day is. */
import type { OpenVault } from '../open-vault.ts';
import { parseVaultPath, type VaultPath } from '../storage/vault-path.ts';

export const INBOX = 'inbox.md' as VaultPath;
/** Captures with a title of their own. */
export const INBOX_FOLDER = 'inbox';
const DAILY_FOLDER = 'daily';
export const ATTACHMENTS_FOLDER = 'attachments';

/** The daily note of a day such as `2026-11-15`. */
export function dailyNote(open: OpenVault, day: string): VaultPath {
  return asSpeltIn(open, `${DAILY_FOLDER}/${day}.md`);
}

/** A path of ours as it is spelt in a vault that has, say, `Daily` where we have `daily`. */
export function asSpeltIn({ vault }: OpenVault, path: string): VaultPath {
  const [top = '', ...rest] = path.split('/');
  return parseVaultPath([vault.topEntry(top), ...rest].join('/'));
}

/** The day it is where the server runs, which `TZ` decides. */
export function today(now: Date): string {
  const [year, month, day] = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
  return [String(year).padStart(4, '0'), two(month), two(day)].join('-');
}

/** Whether the text is a day of the calendar, written `2026-11-15`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
