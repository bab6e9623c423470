/**
 * `hashpw`: a password in, a value for the configuration out. On a terminal it asks twice and
 * shows nothing of what is typed; from a pipe it reads one line.
 */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { hashPassword, passwordProblem } from '../../core/password.ts';
import type { Output } from './validate.ts';

const MAX_INPUT_BYTES = 64 * 1024;

export async function hashpw(input: NodeJS.ReadStream, output: Output): Promise<number> {
  const password = input.isTTY ? await askTwice(input, output) : await firstLine(input);
  const problem =
    password === undefined
      ? 'the two passwords differ; nothing was made'
      : passwordProblem(password);
  if (problem !== undefined) {
    output.err(problem);
    return 1;
  }
  output.out(await hashPassword(password!));
  return 0;
}

async function askTwice(input: NodeJS.ReadStream, output: Output): Promise<string | undefined> {
  // The terminal echoes through this stream, and this stream drops everything.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input, output: silent, terminal: true });
  try {
    process.stderr.write('Password: ');
    const first = await prompt.question('');
    process.stderr.write('\nAgain: ');
    const second = await prompt.question('');
    output.err('');
    return first === second ? first : undefined;
  } finally {
    prompt.close();
  }
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
