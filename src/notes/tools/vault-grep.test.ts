import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';

const FILES = {
  'a/one.md': 'first\nThe Quick fox (x+y)\nlast\n',
  'b/two.md': 'the quick fox\r\nsecond 42\r\n',
  'c/three.md': 'one\n\nthree',
};

describe('vault_grep', () => {
  test('texts and expressions, with their lines', async (context) => {
    const { call } = await notesBench(context, { files: FILES });
    const rows: [object, string[]][] = [
      [{ pattern: 'quick' }, ['a/one.md:2', 'b/two.md:1']],
      [{ pattern: 'Quick', case_sensitive: true }, ['a/one.md:2']],
      [{ pattern: '(x+y)' }, ['a/one.md:2']],
      [{ pattern: '^second \\d+$', regex: true }, ['b/two.md:2']],
      [{ pattern: 'THE.*FOX', regex: true }, ['a/one.md:2', 'b/two.md:1']],
      [{ pattern: 'THE.*FOX', regex: true, case_sensitive: true }, []],
      [{ pattern: 'quick', prefix: 'b' }, ['b/two.md:1']],
      [{ pattern: '^$', regex: true }, ['c/three.md:2']],
      [{ pattern: 'nowhere' }, []],
    ];
    for (const [args, expected] of rows) {
      const { matches } = await call('vault_grep', args);
      const places = matches.map(
        ({ path, line }: { path: string; line: number }) => `${path}:${line}`,
      );
      assert.deepEqual(places, expected, JSON.stringify(args));
    }
  });

  test('the lines around a match', async (context) => {
    const { call } = await notesBench(context, { files: FILES });
    const { matches } = await call('vault_grep', { pattern: 'Quick', prefix: 'a', context: 5 });
    assert.deepEqual(matches, [
      {
        path: 'a/one.md',
        line: 2,
        text: 'The Quick fox (x+y)',
        before: ['first'],
        after: ['last'],
      },
    ]);
  });

  test('of a long line what stands around the match is shown', async (context) => {
    const { call } = await notesBench(context, {
      files: { 'a.md': `${'x'.repeat(1_000_000)} Quince ${'y'.repeat(1_000_000)}` },
    });
    for (const args of [{ pattern: 'quince' }, { pattern: 'Q[a-z]+e', regex: true }]) {
      const { matches } = await call('vault_grep', args);
      assert.match(matches[0].text, /^…x{99} Quince y+…$/);
      assert.ok(matches[0].text.length < 410);
    }
  });

  test('pages hold every match once', async (context) => {
    const line = `match ${'x'.repeat(390)}\n`;
    const { call } = await notesBench(context, {
      files: { 'a.md': line.repeat(70), 'b.md': line.repeat(70) },
    });
    for (const around of [0, 3]) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const args = { pattern: 'match', context: around, limit: 50, ...(cursor && { cursor }) };
        const page = await call('vault_grep', args);
        assert.ok(JSON.stringify(page).length < 20_000);
        seen.push(
          ...page.matches.map((one: { path: string; line: number }) => `${one.path}:${one.line}`),
        );
        cursor = page.cursor;
      } while (cursor !== undefined);
      assert.deepEqual([seen.length, new Set(seen).size], [140, 140]);
    }
  });

  test('what surrounds a match is left out where it would fill the result', async (context) => {
    const { call } = await notesBench(context, {
      files: { 'a.md': `${`${'\x01'.repeat(400)}\n`.repeat(10)}x${'\x02'.repeat(500)}\n` },
    });
    const page = await call('vault_grep', { pattern: 'x', context: 10 });
    assert.ok(JSON.stringify(page).length < 20_000);
    assert.deepEqual([page.matches.length, page.matches[0].before], [1, undefined]);
  });

  test('an expression that is none, or never ends, is refused, and the next one is answered', async (context) => {
    const { refusal, call } = await notesBench(context, {
      files: { 'a.md': `${'a'.repeat(60)}!` },
    });
    const invalid = await refusal('vault_grep', { pattern: '(', regex: true });
    assert.equal(invalid.code, 'regex_invalid');
    const endless = await refusal('vault_grep', { pattern: '^(a+)+$', regex: true });
    assert.equal(endless.code, 'regex_timeout');
    assert.equal((await call('vault_grep', { pattern: 'a!' })).matches.length, 1);
  });

  test('wrong arguments are refused', async (context) => {
    const { refusal } = await notesBench(context, { files: FILES });
    const wrong: object[] = [
      ...[{}, { pattern: '' }, { pattern: 'x'.repeat(1001) }, { pattern: 'x', context: 11 }],
      ...[
        { pattern: 'x', limit: 201 },
        { pattern: 'x', cursor: 'MQ' },
        { pattern: 'x', flags: 'g' },
      ],
    ];
    for (const args of wrong) {
      assert.equal((await refusal('vault_grep', args)).code, 'invalid_arguments');
    }
  });
});
