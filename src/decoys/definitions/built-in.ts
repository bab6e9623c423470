/** The built-in decoy files: one file for each kind, all read when the first is needed. */
import { readdirSync, readFileSync } from 'node:fs';
import { formatProblem, Problems } from '../../core/config/problems.ts';
import { packageFolder } from '../../core/version.ts';
import { type BuiltIn, readBuiltIn } from './definition.ts';

let known: readonly BuiltIn[] | undefined;

export function builtIns(): readonly BuiltIn[] {
  known ??= read(packageFolder('src/decoys/built-in/', 'dist/decoys/'));
  return known;
}

function read(folder: URL): BuiltIn[] {
  const problems = new Problems();
  const files = readdirSync(folder)
    .sort()
    .flatMap((name) => {
      return readBuiltIn(readFileSync(new URL(name, folder), 'utf8'), name, problems) ?? [];
    });
  const [problem] = problems.errors;
  if (problem) throw new Error(formatProblem(problem));
  return files;
}
