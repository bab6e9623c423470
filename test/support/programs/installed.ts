/**
 * Tests against programs of Debian are skipped where these are not installed, except in CI, where they
 * always run.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** For the `skip` of a test. */
export function unlessInstalled(...programs: readonly string[]): string | false {
  const missing = programs.filter((program) => pathOf(program) === undefined);
  if (missing.length === 0 || process.env.CI) return false;
  return `${missing.join(' and ')} not installed`;
}

/** System programs are often not in the path of an ordinary user. */
export function pathOf(program: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}
