/** `hashpw`: a password in, a value for the configuration out. */
import { readPassword } from './command-line/read-password.ts';
import type { Output } from './output.ts';
import { hashPassword } from './password.ts';

export async function hashpw(input: NodeJS.ReadStream, output: Output): Promise<number> {
  const read = await readPassword(input);
  if ('problem' in read) {
    output.err(read.problem);
    return 1;
  }
  output.out(await hashPassword(read.password));
  return 0;
}
