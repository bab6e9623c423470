/**
 * The official conformance suite against the notes server as it is run, at both protocol revisions.
 * The suite cannot sign in, so a proxy adds the token. Its scenarios that need fixtures of its own
 * fail for want of them; the files beside this one name each and why.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runConformanceSuite } from '../support/conformance-suite.ts';
import { cleaner, startNotes } from '../support/notes.ts';
import { startTokenProxy, type TokenProxy } from '../support/token-proxy.ts';

const suite = cleaner();
let proxy: TokenProxy;
before(async () => {
  const notes = await startNotes(suite, {
    files: {
      'default/a.md': '# A\n\nSee [[b]].\n',
      'default/b.md': '# B\n',
      'default/attachments/dot.png': Buffer.from('89504e470d0a1a0a', 'hex'),
      'default/.notes/instructions.md': 'Keep it short.\n',
    },
  });
  await notes.indexed();
  proxy = await startTokenProxy(notes.port, await notes.token());
  suite.after(() => proxy.close());
});
after(() => suite.clean());

for (const revision of ['2026-07-28', '2025-11-25']) {
  test(`the official suite finds nothing unexpected at ${revision}`, async () => {
    const expected = join(import.meta.dirname, `expected-failures-${revision}.yml`);
    const { code, output } = await runConformanceSuite(`${proxy.url}/mcp`, revision, expected);
    assert.equal(code, 0, output);
  });
}
