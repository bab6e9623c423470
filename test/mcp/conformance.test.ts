/**
 * The official conformance suite against the endpoint, at both protocol revisions. An
 * unexpected failure and an expected failure that does not happen both fail the run.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createServer } from '../../src/core/http/server.ts';
import { mountMcp } from '../../src/mcp/endpoint.ts';
import { runConformanceSuite } from '../support/mcp/conformance-suite.ts';
import {
  conformancePrompts,
  conformanceResources,
  conformanceTools,
} from './conformance-fixtures.ts';
import { elicitationTools, withAskingPrompt } from './elicitation-fixtures.ts';
import { silentLog } from './harness.ts';

for (const revision of ['2026-07-28', '2025-11-25']) {
  test(`the official suite finds nothing unexpected at ${revision}`, async () => {
    const app = createServer({ log: silentLog });
    const user = 'conformance';
    const endpoint = mountMcp(app, {
      publicUrl: 'http://localhost',
      serverInfo: { name: 'conformance', title: 'Conformance', version: '1.0.0' },
      instructions: () => 'fixtures of the conformance suite',
      tools: [...conformanceTools(() => endpoint.toolsChanged(user)), ...elicitationTools],
      resources: conformanceResources,
      prompts: withAskingPrompt(conformancePrompts),
      complete: async ({ argument }) => [`${argument.value}ing`],
      authenticate: async () => ({ user, incarnation: '1', clientId: 'suite' }),
      allowedOrigins: () => [],
      isAlive: async () => true,
      log: silentLog,
    });
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    try {
      const expected = join(import.meta.dirname, `expected-failures-${revision}.yml`);
      const { code, output } = await runConformanceSuite(`${address}/mcp`, revision, expected);
      assert.equal(code, 0, output);
    } finally {
      await app.close();
    }
  });
}
