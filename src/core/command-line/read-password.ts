/** Reads a password: on a terminal twice and without echo, from a pipe the first line. */
import { isUtf8 } from 'node:buffer';
import { withoutBom } from '../config/value.ts';
import { passwordProblem } from '../secrets/password.ts';
import { Prompt } from './prompt.ts';

const MAX_INPUT_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** The password, or why there is none. */
export type PasswordRead = { readonly password: string } | { readonly problem: string };

export async function readPassword(input: NodeJS.ReadStream): Promise<PasswordRead> {
  if (!input.isTTY) {
    const line = await firstLine(input);
    // Decoding would replace bytes, and the password that is typed later would not match.
    if (!isUtf8(line)) return { problem: 'the password is not UTF-8 text; nothing was made' };
    return judged(withoutBom(line.toString('utf8')));
  }
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

/** Without its line break. */
async function firstLine(input: NodeJS.ReadStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > MAX_INPUT_BYTES || chunk.includes(LINE_FEED)) break;
  }
  const all = Buffer.concat(chunks);
  const end = all.indexOf(LINE_FEED);
  if (end < 0) return all;
  return all.subarray(0, all[end - 1] === CARRIAGE_RETURN ? end - 1 : end);
}
