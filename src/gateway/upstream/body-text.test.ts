import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BodyText } from './body-text.ts';

test('the pieces of a text are the text, and none ends within a character', () => {
  const unit = fc.constantFrom('a', '"', '\\', '\u0001', 'é', '€', '😀', '\u2028');
  const parts = fc.array(fc.tuple(unit, fc.nat({ max: 20_000 })), { maxLength: 6 });
  fc.assert(
    fc.property(parts, (list) => {
      const text = list.map(([sign, times]) => sign.repeat(times)).join('');
      const body = new BodyText(Buffer.from(text), 'utf8');
      const pieces = [...body.pieces()];
      assert.ok(pieces.join('') === text && body.toString() === text);
      assert.ok(pieces.every((piece) => piece.isWellFormed() && !piece.includes('\ufffd')));
      if (body.isOnePiece) assert.ok(pieces.length <= 1);
    }),
    { numRuns: 100 },
  );
});

test('the pieces of base64 are the base64 of the whole', () => {
  for (const length of [0, 1, 12_287, 12_288, 12_289, 40_000]) {
    const bytes = Buffer.alloc(length, 0xfe);
    const body = new BodyText(bytes, 'base64');
    assert.equal([...body.pieces()].join(''), bytes.toString('base64'));
  }
});
