import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lineStarts } from '../text/lines.ts';
import { readPart, readRange } from './read-lines.ts';

/** Reads on with `next` until there is none. */
function readAll(bytes: Buffer, maxChars: number): string[] {
  const starts = lineStarts(bytes.toString('latin1'));
  const parts: string[] = [];
  for (let lines: string | undefined = '1-'; lines !== undefined; ) {
    const part = readPart(bytes, starts, readRange(lines, starts, bytes.length), maxChars);
    parts.push(part.content);
    lines = part.next;
    assert.ok(parts.length < 10_000, 'it does not end');
  }
  return parts;
}

test('the parts of any text are the text, and each has room', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'é', '漢', '😀', '\n', '\r', '"', '\\', '\0', '\x1f', ' '),
    maxLength: 300,
  });
  fc.assert(
    fc.property(text, fc.integer({ min: 12, max: 80 }), (written, maxChars) => {
      const parts = readAll(Buffer.from(written), maxChars);
      assert.equal(parts.join(''), written);
      for (const part of parts) assert.ok(JSON.stringify(part).length - 2 <= maxChars, part);
    }),
    { numRuns: 500 },
  );
});

test('bytes that are no text are read to the end, and each part has room', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      for (const part of readAll(Buffer.from(bytes), 20)) {
        assert.ok(JSON.stringify(part).length - 2 <= 20, part);
      }
    }),
    { numRuns: 500 },
  );
});

test('a part ends after a line where there is one near', () => {
  const bytes = Buffer.from('one\ntwo\nthree\nfour\n');
  const starts = lineStarts(bytes.toString('latin1'));
  const part = readPart(bytes, starts, readRange('1-', starts, bytes.length), 12);
  assert.deepEqual(part, { content: 'one\ntwo\n', lines: '1-2', next: '3-' });
  const rest = readPart(bytes, starts, readRange('2-3', starts, bytes.length), 6);
  assert.deepEqual(rest, { content: 'two\n', lines: '2-2', next: '3-3' });
});

test('lines that the note has not are refused with how many there are', () => {
  const starts = lineStarts('a\nb\n');
  for (const lines of ['0', '3', '2-1', '9-', '999999999-999999999']) {
    assert.throws(() => readRange(lines, starts, 4), { code: 'invalid_arguments' }, lines);
  }
  assert.deepEqual(readRange('1-99', starts, 4), { start: 0, end: 4 });
  assert.deepEqual(readRange('2:999', starts, 4), { start: 4, end: 4 });
});

test('a byte within a character leads to the next one', () => {
  const bytes = Buffer.from('漢字');
  const starts = lineStarts(bytes.toString('latin1'));
  for (const byte of [1, 2, 3]) {
    const range = readRange(`1:${byte}-`, starts, bytes.length);
    assert.equal(readPart(bytes, starts, range, 100).content, '字');
  }
});
