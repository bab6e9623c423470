/** What the notes server needs beside its own files: threads that hash, SQLite with FTS5, and git. */
import { hashingProblem } from '../core/password.ts';
import { INSTALLATION, type Problem } from '../core/problems.ts';
import type { NotesConfig } from './config.ts';
import { fullTextProblem } from './index/full-text-problem.ts';
import { gitProblem } from './storage/git-problem.ts';

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
