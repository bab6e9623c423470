/** Reads the operator's own decoys, `DECOYS_FILE`. */
import { readFileSync, statSync } from 'node:fs';
import { type Problem, Problems } from '../../core/config/problems.ts';
import { type Definition, MAX_FILE_CHARACTERS, readDecoyFile } from './definition.ts';

export interface OwnDecoys {
  readonly definitions: readonly Definition[];
  readonly problems: readonly Problem[];
}

export function readOwnDecoys(path: string): OwnDecoys {
  const problems = new Problems();
  const text = textOf(path, problems);
  const definitions = text === undefined ? [] : readDecoyFile(text, path, problems);
  return { definitions, problems: problems.errors };
}

function textOf(path: string, problems: Problems): string | undefined {
  try {
    if (statSync(path).size <= 4 * MAX_FILE_CHARACTERS) return readFileSync(path, 'utf8');
    problems.add({ file: path, message: 'is larger than 1 MiB; use a smaller one' });
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    problems.add({ file: path, message: `cannot be read: ${code}` });
  }
  return undefined;
}
