/** A command of `decoys` in this process, with what it wrote. */
import { run } from '../../../src/decoys/commands/cli.ts';

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runDecoys(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  let [stdout, stderr] = ['', ''];
  const write = (text: string) => {
    stdout += text;
  };
  const out = (line: string) => write(`${line}\n`);
  const err = (line: string) => {
    stderr += `${line}\n`;
  };
  const code = await run(words, env, { out, err, write, isTerminal: false });
  return { code, stdout, stderr };
}

/** Lines as the programs write them. */
export function logOf(...lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

export function hitLine(ip: string, fields: object = {}): object {
  const event = { ts: '2026-11-15T10:00:00.000Z', level: 'info', event: 'decoy_hit' };
  return { ...event, tag: 'aws-credentials', site: 'decoys', 'source.ip': ip, ...fields };
}
