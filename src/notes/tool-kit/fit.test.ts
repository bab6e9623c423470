import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  clip,
  clipTexts,
  countFitting,
  fitData,
  fitResult,
  fittingPage,
  jsonLength,
} from './fit.ts';

test('a text is cut between characters, and says so', () => {
  assert.equal(clip('short', 10), 'short');
  assert.equal(clip('0123456789x', 10), '012345678…');
  assert.equal(clip('ab😀cd', 4), 'ab…');
});

test('texts are cut wherever they stand, paths and ids are not', () => {
  const long = 'x'.repeat(500);
  const clipped = clipTexts({ path: long, title: long, list: [{ text: long }], n: 1, none: null });
  assert.deepEqual(
    [clipped.path.length, clipped.title.length, clipped.list[0]?.text.length, clipped.n],
    [500, 300, 300, 1],
  );
  assert.equal(clipped.none, null);
});

test('what has room is counted as it is escaped', () => {
  assert.equal(countFitting(['aaaa', 'aaaa'], 16), 2);
  assert.equal(countFitting(['\0\0\0\0', 'aaaa'], 16), 0);
});

test('a page without room is asked for again with fewer items', async () => {
  const asked: number[] = [];
  const page = await fittingPage(50, async (limit) => {
    asked.push(limit);
    return { items: new Array<string>(limit).fill('x'.repeat(1000)), cursor: String(limit) };
  });
  assert.deepEqual(asked, [50, 16]);
  assert.equal(page.cursor, '16');
  assert.ok(jsonLength(page.items) < 17_000);
});

test('one item is given whatever its size', async () => {
  const page = await fittingPage(3, async (limit) => ({
    items: new Array<string>(limit).fill('x'.repeat(20_000)),
  }));
  assert.equal(page.items.length, 1);
});

test('what explains a refusal is shortened only where it must be', () => {
  const candidates = Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(900, 'x'));
  const data = { path: 'a.md', candidates };
  assert.equal(fitData(data, 30_000), data);
  const short = fitData(data, 4000);
  assert.deepEqual([short.path, (short.candidates as string[]).length], ['a.md', 5]);
  assert.deepEqual(fitData(data, 100), {});
});

test('the result of a write loses the ends of its lists, and names them', () => {
  const path = 'p'.repeat(1000);
  const made = Array.from({ length: 100 }, () => ({ path, heading: 'h'.repeat(400) }));
  const result = {
    path,
    diff: 'd'.repeat(4096),
    created: made,
    warnings: ['one'],
    edits: { made },
  };
  const fitted = fitResult(result) as typeof result & { cut: string[] };
  assert.ok(jsonLength(fitted) < 20_000);
  assert.deepEqual([fitted.path, fitted.diff, fitted.warnings], [path, result.diff, ['one']]);
  assert.deepEqual(fitted.cut, ['created', 'made']);
  assert.ok(fitted.created.length > 2);
  assert.equal(result.created.length, 100);
  const short = { path };
  assert.equal(fitResult(short), short);
});

test('the paths of a list stay whole, and the list is cut', () => {
  const paths = Array.from({ length: 60 }, (_, index) => `${'"d'.repeat(500)}${index}.md`);
  for (const name of ['paths', 'linked_from']) {
    const fitted = fitResult({ path: 'a.md', moved_from: paths[0], [name]: paths }) as {
      readonly [name: string]: unknown;
    };
    assert.ok(jsonLength(fitted) < 20_000);
    const kept = fitted[name] as string[];
    assert.ok(kept.length > 2);
    assert.deepEqual(kept, paths.slice(0, kept.length));
    assert.equal(fitted.moved_from, paths[0]);
    assert.deepEqual(fitted.cut, [name]);
  }
});

test('a difference is clipped only where nothing else makes room', () => {
  const result = { path: 'a.md', diff: `+${'\u0001'.repeat(4000)}`, warnings: ['one'] };
  const fitted = fitResult(result) as typeof result;
  assert.ok(jsonLength(fitted) < 20_000);
  assert.match(fitted.diff, /^\+.{1500,}…$/);
  assert.deepEqual([fitted.path, fitted.warnings], ['a.md', ['one']]);
  assert.deepEqual(fitResult({ path: 'a.md', diff: '' }, 10), { path: 'a.md', diff: '' });
});
