import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, test } from 'node:test';
import { EventStream } from './event-stream.ts';
import { JsonPieces } from './json-text.ts';

const PACE = { keepAliveMs: 10, unreadMs: 60_000 };

const server = createServer();
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(() => server.close());

test('is closed at once for a client that is gone already', async () => {
  const { response, client } = await request();
  client.destroy();
  await once(response, 'close');
  const { closed, beats } = open(response);
  await closed;
  const before = beats();
  await new Promise((resolve) => setTimeout(resolve, 5 * PACE.keepAliveMs));
  assert.equal(beats(), before);
});

test('is closed once, whichever side ends it, and says nothing after', async () => {
  for (const end of [
    ({ stream }: Opened) => stream.end(),
    ({ client }: Opened) => client.destroy(),
    ({ response }: Opened) => response.destroy(),
  ]) {
    const { response, client } = await request();
    const opened = { ...open(response), response, client };
    opened.stream.send('{"n":1}');
    await once(client, 'data');
    end(opened);
    await opened.closed;
    opened.stream.send('{"n":2}');
    opened.stream.end();
    await opened.stream.taken();
    assert.equal(opened.closes(), 1);
    client.destroy();
  }
});

test('a client that reads nothing is cut off, and nobody waits for it', async () => {
  const { response, client } = await request();
  client.pause();
  const { stream, closed } = open(response);
  const message = JSON.stringify('x'.repeat(1024 * 1024));
  for (let sent = 0; sent < 64 && !response.destroyed; sent++) stream.send(message);
  assert.equal(response.destroyed, true);
  await Promise.all([stream.taken(), closed]);
  client.destroy();
});

test('no comment and no other message is within a message in pieces', async () => {
  const { response, client } = await request();
  client.pause();
  const { stream, closed, beats } = open(response);
  const piece = 'x'.repeat(1024 * 1024);
  const count = 8;
  const json = new JsonPieces(function* () {
    yield '["';
    for (let at = 0; at < count; at++) yield piece;
    yield '"]';
  });
  const sent = stream.sendPieces(json);
  stream.send('{"n":1}');
  while (beats() < 3) await new Promise((resolve) => setTimeout(resolve, PACE.keepAliveMs));
  let text = '';
  client.setEncoding('latin1').on('data', (data: string) => {
    text += data;
  });
  client.resume();
  await sent;
  stream.end();
  await closed;
  while (!text.endsWith('\r\n0\r\n\r\n')) await once(client, 'data');
  const wanted = `data: ["${piece.repeat(count)}"]\n\nevent: message\ndata: {"n":1}\n\n`;
  // Chunked encoding is between the pieces.
  assert.ok(text.replaceAll(/\r\n(?:[0-9a-f]+\r\n)?/g, '').includes(wanted));
  client.destroy();
});

test('pieces for a client that is gone are not made any more', async () => {
  const { response, client } = await request();
  const { stream, closed } = open(response);
  let made = 0;
  const json = new JsonPieces(function* () {
    for (;;) {
      made += 1;
      if (made === 10) client.destroy();
      yield 'x'.repeat(1024 * 1024);
    }
  });
  client.resume();
  await stream.sendPieces(json);
  await closed;
  assert.ok(made >= 10);
});

test('what was sent has been taken once the client has read it', async () => {
  const { response, client } = await request();
  client.pause();
  const { stream, closed } = open(response);
  stream.send(JSON.stringify('é'.repeat(2 * 1024 * 1024)));
  let isTaken = false;
  const taken = stream.taken().then(() => {
    isTaken = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(isTaken, false);
  client.resume();
  await taken;
  stream.end();
  await closed;
  client.destroy();
});

type Opened = ReturnType<typeof open> & Awaited<ReturnType<typeof request>>;

function open(response: ServerResponse) {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let closes = 0;
  let beats = 0;
  const close = () => {
    closes += 1;
    resolve();
  };
  const stream = new EventStream(response, PACE, close, () => {
    beats += 1;
  });
  return { stream, closed, closes: () => closes, beats: () => beats };
}

async function request() {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  return { response, client };
}
