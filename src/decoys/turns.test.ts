import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { Turns } from './turns.ts';

const MANY = 2_000;

test('who sends thousands of requests in one packet does not keep others waiting', async (t) => {
  const turns = new Turns();
  let answered = 0;
  let answeredBefore: number | undefined;
  const server = createServer((request, response) => {
    if (request.url === '/first') other.write('GET /other HTTP/1.1\r\nHost: x\r\n\r\n');
    turns.take(request.socket, response, () => {
      if (request.url === '/other') answeredBefore = answered;
      answered++;
      response.end();
    });
  }).listen(0, '127.0.0.1');
  t.after(() => server.close().closeAllConnections());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const other = connect(port, '127.0.0.1').resume();
  const greedy = connect(port, '127.0.0.1');
  await Promise.all([once(other, 'connect'), once(greedy, 'connect')]);
  let answers = 0;
  const all = new Promise<void>((resolve) => {
    greedy.setEncoding('latin1').on('data', (text: string) => {
      answers += text.match(/HTTP\/1\.1 200/g)?.length ?? 0;
      if (answers >= MANY) resolve();
    });
  });
  const rest = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(MANY - 1);
  greedy.write(`GET /first HTTP/1.1\r\nHost: x\r\n\r\n${rest}`);
  await all;
  assert.ok(answeredBefore !== undefined && answeredBefore < MANY / 2, `${answeredBefore} before`);
});
