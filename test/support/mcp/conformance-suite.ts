/**
 * The official conformance suite, run against a server. It ends with 0 only where every failure is
 * one that the file names, and everything that the file names fails.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const SUITE = join(import.meta.dirname, '../../../node_modules/.bin/conformance');

interface Ended {
  readonly code: number;
  readonly output: string;
}

/** The suite has limits of time that a machine at a standstill misses: what fails twice fails. */
export async function runConformanceSuite(
  url: string,
  revision: string,
  expectedFailures: string,
): Promise<Ended> {
  const options = ['--suite', 'all', '--spec-version', revision];
  const run = () => runOnce(url, [...options, '--expected-failures', expectedFailures]);
  const first = await run();
  return first.code === 0 ? first : run();
}

/** One scenario, such as those of an extension, which no suite has. Nothing may fail. */
export async function runConformanceScenario(url: string, scenario: string): Promise<Ended> {
  return runOnce(url, ['--scenario', scenario]);
}

async function runOnce(url: string, options: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [SUITE, 'server', '--url', url, ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output: Buffer.concat(chunks).toString('utf8') };
}
