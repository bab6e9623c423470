/** `decoys selftest [url]`: asks every decoy of a running server and checks what comes back. */
import type { Output } from '../../core/command-line/output.ts';
import type { Environment } from '../../core/environment.ts';
import { describeError } from '../../core/log.ts';
import { formatProblem } from '../../core/problems.ts';
import { MAX_BODY_BYTES } from '../answer.ts';
import { CORPUS, type Question } from '../corpus.ts';
import { readSettings } from '../settings.ts';

const DEADLINE_MS = 10_000;

export async function selftest(
  url: string | undefined,
  env: Environment,
  output: Output,
): Promise<number> {
  const base = url ?? ownUrl(env, output);
  if (base === undefined) return 1;
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol)) {
    output.err(`"${base}" is not an http or https URL`);
    return 2;
  }
  let failed = 0;
  for (const question of CORPUS) {
    const fault = await ask(new URL(question.target, base), question);
    if (fault !== undefined) failed++;
    const { method, target, tag } = question;
    const path = target.replace(/\?.*/, '');
    const line = `${fault ? 'FAIL' : 'ok  '}  ${tag.padEnd(26)} ${method.padEnd(4)} ${path}`;
    output.out(fault === undefined ? line : `${line}: ${fault}`);
  }
  output.out(`${CORPUS.length - failed} of ${CORPUS.length} decoys answered as they should`);
  return failed === 0 ? 0 : 1;
}

/** What is wrong with the answer, if anything is. */
async function ask(url: URL, { method, headers, body, status, expect }: Question) {
  try {
    const response = await fetch(url, {
      method,
      ...(headers && { headers }),
      ...(body && { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const text = await response.text();
    if (response.status !== status) return `status ${response.status}, not ${status}`;
    if (Buffer.byteLength(text) > MAX_BODY_BYTES) return 'the body is over 4 KiB';
    return expect.test(text) ? undefined : 'the body is not what it should be';
  } catch (error) {
    const cause = error instanceof Error && error.cause ? error.cause : error;
    return describeError(cause);
  }
}

/** The server that the environment describes, on this machine. */
function ownUrl(env: Environment, output: Output): string | undefined {
  const settings = readSettings(env);
  if ('problems' in settings) {
    for (const problem of settings.problems) output.err(formatProblem(problem));
    return undefined;
  }
  const { host = '127.0.0.1', port } = settings.listen;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
