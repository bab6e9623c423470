import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { giveBytes } from '../../test/support/http/byte-by-byte.ts';
import { collectGarbage } from './garbage.ts';
import { JoinedPieces } from './join-pieces.ts';

const PIECES = 2_000;

test('what comes byte by byte is kept as its bytes, and passed on in one', async () => {
  const joined = new JoinedPieces();
  const passed: string[] = [];
  joined.on('data', (chunk: Buffer) => passed.push(chunk.toString()));
  const pieces = giveBytes(PIECES, (piece) => joined.write(piece));
  await turn();
  collectGarbage();
  const kept = pieces.filter((piece) => piece.deref() !== undefined).length;
  assert.ok(kept < PIECES / 10, `${kept} pieces are kept`);
  joined.end();
  await turn();
  assert.deepEqual(passed, ['0123456789'.repeat(PIECES / 10)]);
});

test('large pieces are passed on as they are, and nothing is passed on of nothing', async () => {
  for (const sizes of [[], [1], [40_000], [16_384, 16_384], [1, 70_000, 3]]) {
    const sent = sizes.map((size, at) => Buffer.alloc(size, String(at)));
    const joined = new JoinedPieces();
    const passed = joined.toArray();
    for (const piece of sent) joined.write(piece);
    joined.end();
    const all = (await passed) as Buffer[];
    assert.deepEqual(Buffer.concat(all), Buffer.concat(sent));
    assert.ok(all.length <= sent.length && all.every(({ length }) => length > 0));
  }
});
