/**
 * The canary notes of a vault: a path a line in `.notes/canaries`. What begins with `#` is a comment.
 * The file is no note: no tool can read it.
 */
import { lstat, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spellingKey } from '../files/vault-path.ts';

const FILE = '.notes/canaries';
const MAX_BYTES = 64 * 1024;

export interface CanaryList {
  /** Identifies this version of the file. */
  readonly stamp: string;
  readonly paths: readonly string[];
}

export const NO_CANARIES: CanaryList = { stamp: '', paths: [] };

/** Returns `known` if the file is unchanged. Anything but a regular file is an empty list. */
export async function readCanaries(root: string, known: CanaryList): Promise<CanaryList> {
  const file = join(root, FILE);
  const stat = await lstat(file).catch(() => undefined);
  if (!stat?.isFile() || stat.size > MAX_BYTES) return NO_CANARIES;
  const stamp = `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
  if (stamp === known.stamp) return known;
  const lines = (await readFile(file, 'utf8')).split(/\r?\n/).map((line) => line.trim());
  return { stamp, paths: lines.filter((line) => line !== '' && !line.startsWith('#')) };
}

/** Returns false if the note is a canary already. */
export async function addCanary(root: string, path: string): Promise<boolean> {
  const { paths } = await readCanaries(root, NO_CANARIES);
  if (paths.some((known) => spellingKey(known) === spellingKey(path))) return false;
  await mkdir(join(root, '.notes'), { recursive: true });
  const file = join(root, FILE);
  const before = await readFile(file, 'utf8').catch(() => '');
  const text = before === '' || before.endsWith('\n') ? before : `${before}\n`;
  await writeFile(`${file}.new`, `${text}${path}\n`, { mode: 0o644 });
  await rename(`${file}.new`, file);
  return true;
}
