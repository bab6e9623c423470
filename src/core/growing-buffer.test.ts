import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GrowingBuffer } from './growing-buffer.ts';

test('holds what was appended, in order, whatever the pieces and the cap', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 400 })), fc.nat(4_000), (pieces, cap) => {
      const sent = pieces.map((piece) => Buffer.from(piece));
      const buffer = new GrowingBuffer(cap);
      let length = 0;
      for (const piece of pieces) {
        length += piece.length;
        assert.equal(buffer.append(piece), length);
      }
      assert.deepEqual(buffer.bytes(), Buffer.concat(sent));
      assert.deepEqual(
        pieces.map((piece) => Buffer.from(piece)),
        sent,
        'nothing is written into a piece',
      );
    }),
  );
});

test('what comes byte by byte is copied a few times, not with every few bytes', () => {
  const cap = 1024 * 1024;
  const buffer = new GrowingBuffer(cap);
  const blocks = new Set<ArrayBufferLike>();
  for (let count = 0; count < cap; count++) {
    buffer.append(Buffer.of(count & 0xff));
    blocks.add(buffer.bytes().buffer);
  }
  assert.ok(blocks.size < 25, `${blocks.size} blocks`);
});
