import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { limitUnread } from './unread-limit.ts';

const UNREAD_MS = 100;
const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** More than the sockets of both sides hold. */
const LARGE = Buffer.alloc(16 * 1024 * 1024);

const responses: ServerResponse[] = [];
const server = createServer((_request, response) => void responses.push(response));
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(() => server.close());

test('an answer that waits for its turn is cut off, too, once its client does not take it', async () => {
  const { first, second, client } = await twoRequests();
  client.pause();
  limitUnread(second, UNREAD_MS);
  second.end(LARGE);
  await delay(2 * UNREAD_MS);
  assert.equal(client.destroyed || second.destroyed, false, 'its time has not begun');
  first.end('first');
  await once(second, 'close');
  assert.equal(second.writableFinished, false);
  client.destroy();
});

test('the answer after it has all the time it wants', async () => {
  const { first, second, client } = await twoRequests();
  let received = '';
  client.on('data', (chunk) => {
    received += chunk;
  });
  limitUnread(first, UNREAD_MS);
  first.end('first');
  await delay(3 * UNREAD_MS);
  second.end('second');
  while (!client.destroyed && !received.endsWith('second')) await delay(1);
  assert.match(received, /first[\s\S]*second$/);
  client.destroy();
});

async function twoRequests(): Promise<{
  first: ServerResponse;
  second: ServerResponse;
  client: Socket;
}> {
  responses.length = 0;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  client.write(REQUEST + REQUEST);
  while (responses.length < 2) await delay(1);
  const [first, second] = responses as [ServerResponse, ServerResponse];
  return { first, second, client };
}
