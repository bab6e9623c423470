import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { diff } from './diff.ts';

const show = (before: string, after: string) => diff(Buffer.from(before), Buffer.from(after));

test('a changed line stands between the lines around it', () => {
  assert.equal(
    show('1\n2\n3\n4\n5\n6\n7\n8\n9', '1\n2\n3\n4\nx\n6\n7\n8\n9'),
    '@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8',
  );
  assert.equal(show('a\n', 'a\nb\n'), '@@ -1,1 +1,2 @@\n a\n+b');
  assert.equal(show('same', 'same'), '');
});

test('a changed line end is a change', () => {
  assert.match(show('a\n', 'a\r\n'), /-a\n\+a/);
});

test('lines are counted over the whole note, whatever their ends are', () => {
  const around = '1\r\n2\n3\r4\n'.repeat(1000);
  const expected = '@@ -3998,7 +3998,7 @@\n 2\n 3\n 4\n-old\n+new\n 1\n 2\n 3';
  assert.equal(show(`${around}old\n${around}`, `${around}new\n${around}`), expected);
  assert.equal(
    show('1\r2\r3\r4\r5\rx\r', '1\r2\r3\r4\r5\ry\r'),
    '@@ -3,4 +3,4 @@\n 3\n 4\n 5\n-x\n+y',
  );
});

test('it is cut at four kilobytes, and says so', () => {
  const text = diff(Buffer.from('a\n'.repeat(5000)), Buffer.from('b\n'.repeat(5000)));
  assert.ok(Buffer.byteLength(text) <= 4096);
  assert.match(text, /the rest is not shown$/);
  const long = diff(Buffer.alloc(1_000_000, 'a'), Buffer.alloc(1_000_000, 'b'));
  assert.ok(Buffer.byteLength(long) <= 4096);
});

test('the lines taken out and put in turn the one text into the other', () => {
  const text = (rows: string[]) => rows.map((row) => `${row}\n`).join('');
  const line = fc.constantFrom('a', 'b', 'c', '');
  const lines = fc.array(line, { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const rows = show(text(before), text(after)).split('\n');
      const rebuilt: string[] = [];
      let position = 0;
      for (const row of rows) {
        const hunk = /^@@ -(\d+),/.exec(row);
        if (hunk) while (position < Number(hunk[1]) - 1) rebuilt.push(before[position++]!);
        else if (row.startsWith('+')) rebuilt.push(row.slice(1));
        else if (row.startsWith('-')) assert.equal(row.slice(1), before[position++]!);
        else if (row.startsWith(' ')) rebuilt.push(before[position++]!);
      }
      while (position < before.length) rebuilt.push(before[position++]!);
      assert.deepEqual(rebuilt, after);
    }),
  );
});
