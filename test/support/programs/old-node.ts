/** A Node before the one that is needed, where the machine has one: what most distributions bring. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NEEDED = 24;

/** Its path, for tests that are skipped where there is none. */
export function oldNode(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  return folders
    .map((folder) => join(folder, 'node'))
    .find((node) => existsSync(node) && majorOf(node) < NEEDED);
}

function majorOf(node: string): number {
  const text = execFileSync(node, ['--version'], { encoding: 'utf8' });
  return Number(/^v(\d+)/.exec(text)?.[1]);
}
