/**
 * `hashpw`: a password in, a value for the configuration out. On a terminal it asks twice and
 * shows nothing of what is typed; from a pipe it reads one line.
 */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Output } from './output.ts';
import { hashPassword, passwordProblem } from './password.ts';

const MAX_INPUT_BYTES = 64 * 1024;

export async function hashpw(input: NodeJS.ReadStream, output: Output): Promise<number> {
  const password = input.isTTY ? await askTwice(input, output) : await firstLine(input);
  const problem = typeof password === 'string' ? passwordProblem(password) : password.problem;
  if (problem !== undefined) {
    output.err(problem);
    return 1;
  }
  output.out(await hashPassword(password as string));
  return 0;
}

async function askTwice(
  input: NodeJS.ReadStream,
  output: Output,
): Promise<string | { problem: string }> {
  // The terminal echoes through this stream, and this stream drops everything. Without a
  // history the second answer cannot be the first one brought back by a key.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input, output: silent, terminal: true, historySize: 0 });
  const answers: string[] = [];
  process.stderr.write('Password: ');
  for await (const line of prompt) {
    answers.push(line);
    if (answers.length === 2) break;
    process.stderr.write('\nAgain: ');
  }
  prompt.close();
  output.err('');
  const [first, second] = answers;
  if (first === undefined || second === undefined)
    return { problem: 'cancelled; nothing was made' };
  return first === second ? first : { problem: 'the two passwords differ; nothing was made' };
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
