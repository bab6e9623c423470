/**
 * Writes the page of a report to standard output, or into a file where that is a terminal. Only the owner
 * may read the file: logs contain personal data.
 */
import { writeFileSync } from 'node:fs';
import type { CommandOutput } from '../command-line/output.ts';
import { describeError } from '../log/log.ts';

/** False where it failed, which is reported. */
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
