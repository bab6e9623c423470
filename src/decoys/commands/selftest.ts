/** `decoys selftest [url]`: asks every decoy of a running server and checks what comes back. */
import type { Output } from '../../core/command-line/output.ts';
import type { Environment } from '../../core/config/environment.ts';
import { formatProblem } from '../../core/config/problems.ts';
import { describeError } from '../../core/log/log.ts';
import { CORPUS, type CorpusQuestion } from '../catalogue.ts';
import { MAX_BODY_BYTES } from '../kit/answer.ts';
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
  const verdicts: Verdict[] = [];
  for (const question of CORPUS) {
    const verdict = await ask(new URL(question.target, base), question);
    verdicts.push(verdict);
    output.out(lineOf(question, verdict));
  }
  output.out(summaryOf(verdicts));
  return verdicts.some(({ word }) => word === 'FAIL') ? 1 : 0;
}

/** `real` is a path that the server answers itself, where a decoy would otherwise stand. */
type Verdict = { readonly word: 'ok' | 'real' } | { readonly word: 'FAIL'; readonly fault: string };

async function ask(
  url: URL,
  { method, headers, body, status, expect, mayBeReal }: CorpusQuestion,
): Promise<Verdict> {
  try {
    const response = await fetch(url, {
      method,
      ...(headers && { headers }),
      ...(body && { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const text = await response.text();
    if (mayBeReal && asksForSignIn(response)) return { word: 'real' };
    if (response.status !== status) return failed(`status ${response.status}, not ${status}`);
    if (Buffer.byteLength(text) > MAX_BODY_BYTES) return failed('the body is over 256 KiB');
    return expect.test(text) ? { word: 'ok' } : failed('the body is not what it should be');
  } catch (error) {
    const cause = error instanceof Error && error.cause ? error.cause : error;
    return failed(describeError(cause));
  }
}

/** As the MCP endpoint of a gateway or a notes server does, and no decoy. */
function asksForSignIn({ status, headers }: Response): boolean {
  return status === 401 && /\bresource_metadata=/.test(headers.get('www-authenticate') ?? '');
}

function failed(fault: string): Verdict {
  return { word: 'FAIL', fault };
}

function lineOf({ method, target, tag }: CorpusQuestion, verdict: Verdict): string {
  const path = target.replace(/\?.*/, '');
  const line = `${verdict.word.padEnd(4)}  ${tag.padEnd(26)} ${method.padEnd(4)} ${path}`;
  return verdict.word === 'FAIL' ? `${line}: ${verdict.fault}` : line;
}

function summaryOf(verdicts: readonly Verdict[]): string {
  const count = (wanted: Verdict['word']) => verdicts.filter(({ word }) => word === wanted).length;
  const real = count('real');
  const decoys = `${count('ok')} of ${verdicts.length - real} decoys answered as they should`;
  return real === 0 ? decoys : `${decoys}; the server itself answers ${real} of these paths`;
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
