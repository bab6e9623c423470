import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DiskDifference } from './disk-difference.ts';

const LATER = 1_000_000;

test('the difference names what to read and what to forget, and nothing else', () => {
  const onDisk = [
    { path: 'same.md', size: 3, mtimeMs: 5.7 },
    { path: 'new.md', size: 1, mtimeMs: 5 },
    { path: 'longer.md', size: 4, mtimeMs: 5 },
    { path: 'later.md', size: 3, mtimeMs: 6 },
    { path: 'just-written.md', size: 3, mtimeMs: LATER },
  ];
  const stamp = { size: 3, mtimeMs: 5, indexedMs: LATER };
  const indexed = new Map([
    ['same.md', stamp],
    ['longer.md', stamp],
    ['later.md', stamp],
    ['just-written.md', { size: 3, mtimeMs: LATER, indexedMs: LATER + 20 }],
    ['gone.md', stamp],
  ]);
  const difference = new DiskDifference((path) => indexed.get(path));
  for (const file of onDisk) difference.add(file);
  assert.deepEqual(
    difference.changed.map(({ path, isIndexed }) => [path, isIndexed]),
    [
      ['new.md', false],
      ['longer.md', true],
      ['later.md', true],
      ['just-written.md', true],
    ],
  );
  assert.deepEqual(difference.removed(indexed.keys()), ['gone.md']);
  assert.equal(difference.unchanged, 1);
});
