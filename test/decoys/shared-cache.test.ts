/** A cache between scanners and decoys, as many a proxy is one: each scanner gets its own tokens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, interceptors, request } from 'undici';
import { Honeytokens } from '../../src/decoys/tokens/honeytoken.ts';
import { KEY, startDecoys } from './support.ts';

const SCANNERS = ['198.51.100.1', '198.51.100.2'];
const TOKEN = /AKIA[A-Z2-7]{16}|hp_live_[a-z2-7]{32}|(?<=sessionId=)[a-z2-7]{32}/g;
const tokens = new Honeytokens({ key: KEY, site: 'decoys' });

for (const path of [
  '/.aws/credentials',
  '/.claude/.credentials.json',
  '/.claude/settings.json',
  '/.vscode/mcp.json',
  '/sse',
]) {
  test(`a shared cache gives nobody the tokens that ${path} gave another`, async () => {
    const nowMs = Date.now();
    const decoys = await startDecoys({
      clock: { ms: nowMs },
      isTrustedProxy: (peer) => peer === '127.0.0.1',
    });
    const cache = new Agent().compose(interceptors.cache({ type: 'shared' }));
    for (const scanner of SCANNERS) {
      const { body } = await request(decoys.url + path, {
        dispatcher: cache,
        headers: { 'x-forwarded-for': scanner },
      });
      // A stream of events stays open: its first one has the token.
      let text = '';
      for await (const chunk of body) {
        text += chunk;
        if (path === '/sse' && text.includes('\n\n')) break;
      }
      const found = text.match(TOKEN) ?? [];
      assert.ok(found.length > 0);
      for (const token of found) assert.equal(tokens.open(token, nowMs)?.address, scanner);
    }
    assert.deepEqual(
      decoys.lines().map((line) => line['source.ip']),
      SCANNERS,
    );
    await cache.destroy();
    await decoys.close();
  });
}
