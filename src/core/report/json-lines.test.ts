import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonFields, readJsonLines, timeOf } from './json-lines.ts';

const MEBIBYTE = 1024 * 1024;

async function read(...chunks: (string | Buffer)[]) {
  const skipped = { other: 0, malformed: 0 };
  const objects: JsonFields[] = [];
  async function* source() {
    yield* chunks;
  }
  for await (const batch of readJsonLines(source(), skipped)) objects.push(...batch);
  return { objects, malformed: skipped.malformed };
}

test('lines are found wherever the chunks end, also within a character', async () => {
  const bytes = Buffer.from('{"a":"ä🙂"}\r\n\n{"b":2}\n{"c":3}');
  const expected = { objects: [{ a: 'ä🙂' }, { b: 2 }, { c: 3 }], malformed: 0 };
  assert.deepEqual(await read(bytes), expected);
  for (let cut = 0; cut <= bytes.length; cut++) {
    assert.deepEqual(await read(bytes.subarray(0, cut), bytes.subarray(cut)), expected);
  }
  assert.deepEqual(await read(...[...bytes].map((byte) => Buffer.from([byte]))), expected);
});

test('what is no JSON object is counted and passed over', async () => {
  const lines = ['{"a":1}', '{"half":', 'text', '7', 'null', '"x"', '\x1b[31m', '{"b":2}'];
  const { objects, malformed } = await read(lines.join('\n'));
  assert.deepEqual(objects, [{ a: 1 }, { b: 2 }]);
  assert.equal(malformed, 6);
});

test('a line beyond a mebibyte is one malformed line, and none of it is kept', async () => {
  const piece = 'x'.repeat(MEBIBYTE / 4);
  const long = ['{"a":"', piece, piece, piece, piece, piece, '"}\n{"b":2}\n'];
  assert.deepEqual(await read(...long), { objects: [{ b: 2 }], malformed: 1 });
  assert.deepEqual(await read(long.join('')), { objects: [{ b: 2 }], malformed: 1 });
  assert.deepEqual(await read(...long.slice(0, -1)), { objects: [], malformed: 1 });
});

test('a line of just under a mebibyte is read', async () => {
  const text = 'x'.repeat(MEBIBYTE - 8);
  assert.deepEqual((await read(`{"a":"${text}"}`)).objects, [{ a: text }]);
});

test('a name that objects have anyway does no harm', async () => {
  const { objects } = await read('{"__proto__":{"ts":"2026-11-15T00:00:00Z"}}\n');
  assert.equal(timeOf(objects[0]!), undefined);
});

for (const [ts, timeMs] of [
  ['2026-11-15T10:00:00.000Z', Date.UTC(2026, 10, 15, 10)],
  ['+275760-09-13T00:00:00.000Z', undefined],
  ['1970-01-01T00:00:00.000Z', undefined],
  ['soon', undefined],
  [5, undefined],
  [undefined, undefined],
] as const) {
  test(`the time of ${ts} is ${timeMs}`, () => assert.equal(timeOf({ ts }), timeMs));
}
