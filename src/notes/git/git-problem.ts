import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describeError } from '../../core/log/log.ts';

const TIMEOUT_MS = 30_000;

/** Why the git program cannot be run; undefined when it can. */
export async function gitProblem(): Promise<string | undefined> {
  try {
    await promisify(execFile)('git', ['--version'], { timeout: TIMEOUT_MS });
    return undefined;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = isMissing ? 'it is not in PATH' : describeError(error).split('\n')[0];
    return `NOTES_GIT needs the git program, which cannot be run: ${reason}; install git, or set NOTES_GIT=false`;
  }
}

/** Everything that fails now, such as a commit and a push. */
export function allProblems(errors: readonly (string | null)[]): string | null {
  return errors.filter((error) => error !== null).join('; ') || null;
}
