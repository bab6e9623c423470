/** What the deployment files may name: the programs, their ports and their variables. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');
export const PORTS = { gateway: 2019, notes: 2020, decoys: 2021 } as const;
export type Program = keyof typeof PORTS;
export const PROGRAMS = Object.keys(PORTS) as Program[];
/** Every idle time must be longer. */
export const IDLE_SECONDS = 30;

export const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The variables of the references' tables. */
export const VARIABLES = new Set([
  ...read('docs/gateway.md').match(/(?<=^\| `)GATEWAY_\w+/gm)!,
  ...read('docs/notes.md').match(/(?<=^\| `)NOTES_\w+/gm)!,
  ...read('docs/decoys.md').match(/(?<=^\| `)DECOYS_\w+/gm)!,
]);

export const namedVariables = (text: string) => [
  ...new Set(text.match(/(?<![\w$])(?:GATEWAY|NOTES|DECOYS)_[A-Z_]*[A-Z]\b/g)),
];

/** Every file under deploy/, by its path there. */
export function deployFiles(): string[] {
  const entries = readdirSync(join(ROOT, 'deploy'), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(ROOT, 'deploy/').length));
}

/** Collects what is wrong; a rule is one line. */
export class Findings {
  readonly list: string[] = [];

  check(isSo: boolean, otherwise: string): void {
    if (!isSo) this.list.push(otherwise);
  }
}

export const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
