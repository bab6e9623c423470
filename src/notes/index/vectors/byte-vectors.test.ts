import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteVectors } from './byte-vectors.ts';

/** A fixed sequence that has both ends of the range. */
function bytes(length: number, seed: number): Int8Array {
  let state = seed;
  return Int8Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (state % 255) - 127;
  });
}

for (const dimensions of [1, 15, 16, 384, 1537]) {
  test(`the products of ${dimensions} dimensions are exact, also after the memory has grown`, () => {
    const vectors = new ByteVectors(dimensions);
    const rows = Array.from({ length: 300 }, (_, row) => bytes(dimensions, row));
    const query = bytes(dimensions, 4711);
    const expected = rows.map((row) => row.reduce((sum, value, at) => sum + value * query[at]!, 0));
    for (const [at, row] of rows.entries()) {
      vectors.add(row);
      if (at % 100 === 0) vectors.dotProducts(query);
    }
    assert.deepEqual([...vectors.dotProducts(query)], expected);
  });
}

test('the longest vectors of the largest values do not overflow', () => {
  const vectors = new ByteVectors(8192);
  vectors.add(new Int8Array(8192).fill(-127));
  assert.deepEqual([...vectors.dotProducts(new Int8Array(8192).fill(127))], [-127 * 127 * 8192]);
});
