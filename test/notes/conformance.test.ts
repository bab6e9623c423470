/**
 * The official conformance suite against the notes server as it is run, at both protocol revisions.
 * The suite cannot sign in, so a proxy adds the token. Its scenarios that need its own fixtures
 * fail for want of them; the files beside this one name each and why.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runConformanceScenario, runConformanceSuite } from '../support/mcp/conformance-suite.ts';
import { cleaner, startNotes } from '../support/notes/notes.ts';

const suite = cleaner();
let proxy: TokenProxy;
before(async () => {
  const notes = await startNotes(suite, {
    files: {
      'default/a.md': '# A\n\nSee [[b]].\n',
      'default/b.md': '# B\n',
      'default/attachments/dot.png': Buffer.from('89504e470d0a1a0a', 'hex'),
      'default/.notes/instructions.md': 'Keep it short.\n',
      'default/.notes/skills/weekly-review/SKILL.md':
        '---\nname: weekly-review\ndescription: Reviews the week\nmetadata:\n  hours: 1.5\n---\nFirst, …\n',
      'default/.notes/skills/weekly-review/parts/list.md': '- a\n',
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

for (const scenario of ['sep-2640-skills-enumeration', 'sep-2640-skills-manifest']) {
  test(`the official suite finds nothing wrong with skills: ${scenario}`, async () => {
    const { code, output } = await runConformanceScenario(`${proxy.url}/mcp`, scenario);
    assert.equal(code, 0, output);
    assert.doesNotMatch(output, /did not declare/);
    assert.match(output, /Passed: [1-9]/);
  });
}

interface TokenProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Adds the access token to every request, for a client that cannot sign in. */
async function startTokenProxy(port: number, token: string): Promise<TokenProxy> {
  const server = createServer((incoming, answer) => {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      method: incoming.method,
      path: incoming.url,
      headers: { ...incoming.headers, authorization: `Bearer ${token}` },
    });
    outgoing.on('response', (response) => {
      answer.writeHead(response.statusCode!, response.headers);
      // A stream that has nothing to say yet is open all the same.
      answer.flushHeaders();
      response.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
