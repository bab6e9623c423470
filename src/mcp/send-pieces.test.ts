import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { JsonPieces } from './json-text.ts';
import { sendPieces } from './send-pieces.ts';

const PIECE = 'x'.repeat(256 * 1024);
const server = createServer();

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(() => server.close());

test('other work gets its turn between two pieces, however quick the client takes them', async () => {
  const { response, answer } = await request();
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const turnsAt: number[] = [];
  const pieces = new JsonPieces(function* () {
    for (let at = 0; at < 40; at++) {
      turnsAt.push(turns);
      yield at % 2 ? PIECE : 'x';
    }
  });
  void answer.then((incoming) => incoming.resume());
  await sendPieces(response, pieces);
  isOver = true;
  response.end();
  assert.equal(new Set(turnsAt).size, turnsAt.length);
});

test('no more than a piece waits for a client that does not read', async () => {
  const { response, answer } = await request();
  let made = 0;
  let mostWaiting = 0;
  const pieces = new JsonPieces(function* () {
    for (; made < 400; made++) {
      mostWaiting = Math.max(mostWaiting, response.writableLength);
      yield PIECE;
    }
  });
  const sent = sendPieces(response, pieces);
  const incoming = await answer;
  while (!response.writableNeedDrain) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(made < 400, `${made}`);
  incoming.resume();
  await sent;
  assert.equal(made, 400);
  assert.ok(mostWaiting < 2 * PIECE.length, `${mostWaiting}`);
  response.end();
});

async function request(): Promise<{ response: ServerResponse; answer: Promise<IncomingMessage> }> {
  const { port } = server.address() as AddressInfo;
  const asked = get({ port, host: '127.0.0.1', agent: false });
  const answer = once(asked, 'response').then(([incoming]) => incoming as IncomingMessage);
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  return { response, answer };
}
