import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createLog } from '../core/log/log.ts';
import { Secret } from '../core/secrets/secret.ts';
import { Trap } from './trap.ts';

test('an answer that cannot be sent breaks its connection off, and nothing else', async (t) => {
  const lines: string[] = [];
  const log = createLog({
    level: 'debug',
    write: (line) => lines.push(line),
    now: () => new Date(),
  });
  const trap = new Trap({
    key: new Secret('decoys key', 'a key of the tests alone'),
    site: 'decoys',
    log,
  });
  const server = createServer((request, response) => {
    // Anyone who had the response before has begun to answer.
    response.flushHeaders();
    trap.answer({ request, response, claim: () => {}, notFound: () => response.end('not found') });
  }).listen(0, '127.0.0.1');
  t.after(() => server.close().closeAllConnections());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ping = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' };
  for (const [path, init] of [['/.claude/settings.json', {}] as const, ['/sse', ping] as const]) {
    const response = await fetch(url + path, init);
    await assert.rejects(response.text());
  }
  assert.equal(await (await fetch(`${url}/nothing`)).text(), 'not found');
  assert.equal(lines.filter((line) => line.includes('internal_error')).length, 2);
});
