/** `npm run call` when something is wrong; that it works is shown by the pages of the book. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { freePort } from './support/programs/free-port.ts';
import { runProgram } from './support/programs/program.ts';

const CALL = new URL('../examples/quickstart/call.ts', import.meta.url).pathname;

for (const [what, args] of [
  ['nothing', []],
  ['too little', ['http://127.0.0.1:2019', 'demo']],
  ['too much', ['http://127.0.0.1:2019', 'demo', 'list_targets', '{}', 'more']],
] as const) {
  test(`${what} is answered with how to use it, and 2`, async () => {
    const { code, stdout, stderr } = await runProgram(CALL, args);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^usage: npm run -s call -- <server> <user> <tool>/);
  });
}

test('a server that does not answer is one line that names it, and 1', async () => {
  const server = `http://127.0.0.1:${await freePort()}`;
  const { code, stderr } = await runProgram(CALL, [server, 'demo', 'list_targets'], { input: 'x' });
  assert.deepEqual(
    [code, stderr],
    [1, `${server} does not answer (ECONNREFUSED); is it running?\n`],
  );
});

test('a server of another kind is one line that says what to give, and 1', async (context) => {
  const other = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  context.after(() => other.close());
  const server = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const { code, stderr } = await runProgram(CALL, [server, 'demo', 'list_targets'], { input: 'x' });
  assert.equal(code, 1);
  assert.equal(stderr, `${server} is no server of these; give its address without a path\n`);
});
