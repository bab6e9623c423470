import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hitAt, measure, ndcgAt10, reciprocalRank } from './metrics.ts';

const TEN_WRONG = 'abcdefghij'.split('');

/** Worked by hand: 1 / log2(2) = 1, 1 / log2(3) = 0.6309, 1 / log2(4) = 0.5, 1 / log2(11) = 0.2891. */
const ROWS = [
  { found: ['x'], right: ['x'], at1: 1, at5: 1, at10: 1, rr: 1, ndcg: 1 },
  { found: ['a', 'x'], right: ['x'], at1: 0, at5: 1, at10: 1, rr: 0.5, ndcg: 0.6309 },
  { found: ['x', 'a', 'y'], right: ['x', 'y'], at1: 1, at5: 1, at10: 1, rr: 1, ndcg: 0.9197 },
  { found: ['x'], right: ['x', 'y'], at1: 1, at5: 1, at10: 1, rr: 1, ndcg: 0.6131 },
  {
    found: [...TEN_WRONG.slice(0, 9), 'x'],
    right: ['x'],
    at1: 0,
    at5: 0,
    at10: 1,
    rr: 0.1,
    ndcg: 0.2891,
  },
  { found: [...TEN_WRONG, 'x'], right: ['x'], at1: 0, at5: 0, at10: 0, rr: 0, ndcg: 0 },
  { found: [], right: ['x'], at1: 0, at5: 0, at10: 0, rr: 0, ndcg: 0 },
];

for (const { found, right, at1, at5, at10, rr, ndcg } of ROWS) {
  test(`[${found}] against [${right}] measures as worked by hand`, () => {
    const ranked = { found, right };
    assert.deepEqual(
      [hitAt(1, ranked), hitAt(5, ranked), hitAt(10, ranked), reciprocalRank(ranked)],
      [at1, at5, at10, rr],
    );
    assert.equal(ndcgAt10(ranked).toFixed(4), ndcg.toFixed(4));
  });
}

test('more than ten right notes do not lower the best possible nDCG', () => {
  const right = [...TEN_WRONG, 'k', 'l'];
  assert.equal(ndcgAt10({ found: right.slice(0, 10), right }), 1);
});

test('the measures of several questions are means', () => {
  const means = measure([
    { found: ['x'], right: ['x'] },
    { found: ['a', 'x'], right: ['x'] },
    { found: [], right: ['x'] },
    { found: [...TEN_WRONG.slice(0, 7), 'x'], right: ['x'] },
  ]);
  assert.deepEqual([means.hitsAt1, means.hitsAt5, means.hitsAt10], [0.25, 0.5, 0.75]);
  assert.equal(means.mrr, (1 + 0.5 + 0 + 1 / 8) / 4);
  assert.equal(means.ndcgAt10.toFixed(4), '0.4866');
});
