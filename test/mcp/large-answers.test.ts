/** Answers that would fill the memory: batches of large ones, and clients that do not read. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Type } from '../../src/mcp/schema.ts';
import { defineTool, jsonResult, type ToolContext } from '../../src/mcp/tool.ts';
import { type Harness, startHarness } from './harness.ts';
import { all, messages, open, rpc, send } from './wire.ts';

const MEBIBYTE = 1024 * 1024;
const UNREAD_MS = 200;

let harness: Harness;
let made = 0;
/** How many answers of the tool have been sent, or given up. */
let over = 0;
const large = defineTool({
  name: 'large',
  title: 'Large',
  description: 'Gives a text of so many letters, after so many milliseconds',
  inputSchema: Type.Object({ letters: Type.Integer(), afterMs: Type.Optional(Type.Integer()) }),
  annotations: { readOnlyHint: true },
  call: async ({ letters, afterMs = 0 }, context: ToolContext) => {
    made += 1;
    await delay(afterMs);
    context.onSent(() => {
      over += 1;
    });
    return jsonResult({ text: 'x'.repeat(letters / 2) });
  },
});

const timings = { slowCallMs: 1, keepAliveMs: 20 };

before(async () => {
  harness = await startHarness({ tools: [large], timings });
});
after(() => harness.close());

function call(id: number, letters: number, afterMs = 0) {
  return rpc('tools/call', { name: 'large', arguments: { letters, afterMs } }, id);
}

test('a batch stops at eight million letters of answers, and says what to send again', async () => {
  made = 0;
  const batch = Array.from({ length: 40 }, (_, id) => call(id, MEBIBYTE));
  const { json } = await send(harness.url, batch, { headers: { accept: 'application/json' } });
  const answers = json as { id: number; result?: object; error?: { message: string } }[];
  assert.deepEqual(
    answers.map(({ id }) => id),
    batch.map((_, id) => id),
  );
  const served = answers.filter(({ result }) => result !== undefined);
  // Eight, and those that were running when they were full.
  assert.ok(served.length >= 8 && served.length <= 12, `${served.length}`);
  assert.equal(made, served.length);
  assert.match(answers.at(-1)!.error!.message, /send this request again, on its own/);
});

test('the room of a batch is free again once it is sent', async () => {
  for (let round = 0; round < 6; round++) {
    const batch = Array.from({ length: 7 }, (_, id) => call(id, MEBIBYTE));
    const { json } = await send(harness.url, batch, { headers: { accept: 'application/json' } });
    assert.ok((json as { result?: object }[]).every(({ result }) => result !== undefined));
  }
});

test('a batch that became a stream arrives whole, also where it is more than may lie unread', async () => {
  const batch = Array.from({ length: 8 }, (_, id) => call(id, 4 * MEBIBYTE, 500));
  const { incoming } = await open(harness.url, batch, {
    headers: { accept: 'application/json, text/event-stream' },
  });
  assert.equal(incoming.headers['content-type'], 'text/event-stream');
  const sent = await all(messages(incoming));
  assert.deepEqual(
    sent.map(({ id }) => id),
    batch.map((_, id) => id),
  );
});

test('a client that takes nothing of its answer is cut off, and the answer let go', async (t) => {
  const hasty = await startHarness({
    tools: [large],
    timings: { ...timings, unreadMs: UNREAD_MS },
  });
  t.after(() => hasty.close());
  over = 0;
  const body = JSON.stringify(call(1, 16 * MEBIBYTE));
  const { port, host } = new URL(hasty.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer alice-token\r\n` +
      `Content-Type: application/json\r\nAccept: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  await once(socket, 'readable');
  while (over === 0) await delay(10);
  socket.resume();
  await once(socket, 'close');
});
