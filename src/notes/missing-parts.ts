/** Checks the installation: hashing threads, SQLite with FTS5, git, and the model. */

import { INSTALLATION, type Problem } from '../core/config/problems.ts';
import { hashingProblem } from '../core/secrets/password.ts';
import type { NotesConfig } from './config.ts';
import { localModelProblem } from './embeddings/local/optional-packages.ts';
import { gitProblem } from './git/git-problem.ts';
import { fullTextProblem } from './index/store/full-text-problem.ts';

type Needed = Pick<NotesConfig, 'git' | 'embeddings'>;

export async function missingParts({ git, embeddings }: Needed): Promise<Problem[]> {
  const found = await Promise.all([
    hashingProblem(),
    fullTextProblem(),
    git === undefined ? undefined : gitProblem(),
    embeddings?.kind === 'local' ? localModelProblem(embeddings.folder) : undefined,
  ]);
  return found
    .filter((message) => message !== undefined)
    .map((message) => ({ file: INSTALLATION, message }));
}
