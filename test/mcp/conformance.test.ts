/**
 * The official conformance suite against the endpoint, at both protocol revisions. An
 * unexpected failure and an expected failure that does not happen both fail the run.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { createServer } from '../../src/core/server.ts';
import { mountMcp } from '../../src/mcp/endpoint.ts';
import { errorResult } from '../../src/mcp/tool.ts';
import {
  conformancePrompts,
  conformanceResources,
  conformanceTools,
} from './conformance-fixtures.ts';
import { silentLog } from './harness.ts';

const suite = join(import.meta.dirname, '../../node_modules/.bin/conformance');

for (const revision of ['2026-07-28', '2025-11-25']) {
  test(`the official suite finds nothing unexpected at ${revision}`, async () => {
    const app = createServer({ log: silentLog });
    const user = 'conformance';
    const endpoint = mountMcp(app, {
      publicUrl: 'http://localhost',
      serverInfo: { name: 'conformance', title: 'Conformance', version: '1.0.0' },
      instructions: () => 'fixtures of the conformance suite',
      tools: conformanceTools(() => endpoint.toolsChanged(user)),
      resources: conformanceResources,
      prompts: conformancePrompts,
      complete: async ({ argument }) => [`${argument.value}ing`],
      authenticate: async () => ({ user, clientId: 'suite' }),
      invalidArguments: (message) => errorResult({ error: 'invalid_arguments', message }),
      allowedOrigins: () => [],
      log: silentLog,
    });
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    try {
      const { code, output } = await runSuite(`${address}/mcp`, revision);
      assert.equal(code, 0, output);
    } finally {
      await app.close();
    }
  });
}

async function runSuite(url: string, revision: string): Promise<{ code: number; output: string }> {
  const expected = join(import.meta.dirname, `expected-failures-${revision}.yml`);
  const child = spawn(
    process.execPath,
    [
      suite,
      'server',
      ...['--url', url],
      ...['--suite', 'all'],
      ...['--spec-version', revision],
      ...['--expected-failures', expected],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const lines: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => lines.push(chunk));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output: Buffer.concat(lines).toString('utf8') };
}
