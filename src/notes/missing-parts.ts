/** Checks the installation: hashing threads, SQLite with FTS5, and git. */

import { INSTALLATION, type Problem } from '../core/config/problems.ts';
import { hashingProblem } from '../core/secrets/password.ts';
import type { NotesConfig } from './config.ts';
import { gitProblem } from './git/git-problem.ts';
import { fullTextProblem } from './index/store/full-text-problem.ts';

export async function missingParts({ git }: Pick<NotesConfig, 'git'>): Promise<Problem[]> {
  const found = await Promise.all([
    hashingProblem(),
    fullTextProblem(),
    git === undefined ? undefined : gitProblem(),
  ]);
  return found
    .filter((message) => message !== undefined)
    .map((message) => ({ file: INSTALLATION, message }));
}
