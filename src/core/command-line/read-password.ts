/**
 * A password that someone types, or pipes in. On a terminal it is asked for twice and nothing of
 * it is shown; from a pipe it is the first line.
 */
import { passwordProblem } from '../password.ts';
import { Prompt } from './prompt.ts';

const MAX_INPUT_BYTES = 64 * 1024;

/** The password, or why there is none. */
export type PasswordRead = { readonly password: string } | { readonly problem: string };

export async function readPassword(input: NodeJS.ReadStream): Promise<PasswordRead> {
  if (!input.isTTY) return judged(await firstLine(input));
  const prompt = new Prompt(input);
  try {
    return await askPassword(prompt);
  } catch (error) {
    return { problem: (error as Error).message };
  } finally {
    prompt.close();
  }
}

export async function askPassword(prompt: Prompt): Promise<PasswordRead> {
  const first = await prompt.askHidden('Password');
  const second = await prompt.askHidden('Again');
  if (first !== second) return { problem: 'the two passwords differ; nothing was made' };
  return judged(first);
}

export function judged(password: string): PasswordRead {
  const problem = passwordProblem(password);
  return problem === undefined ? { password } : { problem };
}

async function firstLine(input: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > MAX_INPUT_BYTES || chunk.includes(0x0a)) break;
  }
  return Buffer.concat(chunks).toString('utf8').split(/\r?\n/, 1)[0]!;
}
