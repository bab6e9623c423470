/** `hashpw`: a password in, a value for the configuration out. */
import { type Command, command } from './program.ts';

/** The command of a program, where the hash is for `use`. */
export function hashpwCommand(use: string): Command {
  return command({
    summary: `make a password hash for ${use}`,
    details: `On a terminal it asks twice and shows nothing of what is typed.
From a pipe it reads one line.`,
    run: async ({ output }) => {
      const { readPassword } = await import('./read-password.ts');
      const { hashingProblem, hashPassword } = await import('../secrets/password.ts');
      const { isShort, SHORT_PASSWORD } = await import('../secrets/weak-password.ts');
      const missing = await hashingProblem();
      if (missing !== undefined) {
        output.err(missing);
        return 1;
      }
      const read = await readPassword(process.stdin);
      if ('problem' in read) {
        output.err(read.problem);
        return 1;
      }
      if (isShort(read.password)) output.err(`warning: ${SHORT_PASSWORD}`);
      output.out(await hashPassword(read.password));
      return 0;
    },
  });
}
