import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { giveBytes } from '../../../test/support/http/byte-by-byte.ts';
import { collectGarbage } from '../../core/garbage.ts';
import { readBody } from './read-body.ts';

const LIMIT = 64 * 1024;
const PIECES = 2_000;

test('a body that comes byte by byte is kept as its bytes, not as thousands of pieces', async () => {
  const request = new IncomingMessage(new Socket());
  const reading = readBody(request, LIMIT);
  const pieces = giveBytes(PIECES, (piece) => request.push(piece));
  await turn();
  collectGarbage();
  const kept = pieces.filter((piece) => piece.deref() !== undefined).length;
  assert.ok(kept < PIECES / 10, `${kept} pieces are kept`);
  request.push(null);
  const { bytes, length, isCutOff } = await reading;
  assert.equal(bytes.toString(), '0123456789'.repeat(PIECES / 10));
  assert.deepEqual([length, isCutOff], [PIECES, false]);
});

test('of a longer body the beginning is given, whatever its pieces are', async () => {
  for (const size of [1, 1_000, LIMIT - 1, LIMIT, 3 * LIMIT]) {
    const request = new IncomingMessage(new Socket());
    const reading = readBody(request, LIMIT);
    for (let sent = 0; sent <= LIMIT; sent += size) request.push(Buffer.alloc(size, 'é'));
    request.push(null);
    const { bytes, length } = await reading;
    const text = bytes.toString();
    assert.ok(text.startsWith('é'.repeat(500)) || size === 1, String(size));
    assert.ok(bytes.length >= LIMIT && length > LIMIT, `${size}: ${bytes.length} of ${length}`);
  }
});
