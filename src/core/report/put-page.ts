/**
 * Where the page of a report goes: to standard output, or into a file where that is a terminal.
 * What logs tell of people is for the one who asked: nobody else may read a file that is made.
 */
import { writeFileSync } from 'node:fs';
import type { CommandOutput } from '../command-line/output.ts';
import { describeError } from '../log/log.ts';

/** False where it could not be put there, which has been said then. */
export function putPage(page: string, file: string, output: CommandOutput): boolean {
  if (!output.isTerminal) {
    output.write(page);
    return true;
  }
  try {
    writeFileSync(file, page, { mode: 0o600 });
    return true;
  } catch (error) {
    output.err(`the page cannot be written: ${describeError(error)}`);
    return false;
  }
}
