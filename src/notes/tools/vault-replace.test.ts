import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type NotesBench, notesBench } from '../../../test/support/notes/notes-tools.ts';

/** A dry run, and the run that presents its plan. */
async function replace(bench: NotesBench, args: object) {
  const plan = await bench.call('vault_replace', args);
  assert.deepEqual([plan.dry_run, plan.change_id], [true, null]);
  const { plan_hash } = plan;
  return { plan, done: await bench.call('vault_replace', { ...args, dry_run: false, plan_hash }) };
}

const FILES = {
  'a.md': '---\ntags: [work]\n---\ncolour of work #work/home\r\nColour\r\n',
  'b/c.md': 'colour colour `colour` [[colour]]\n',
  'b/d.md': 'nothing #workshop\n',
  'i.txt': 'colour',
};

const ROWS: [about: string, args: object, places: number, after: Record<string, string>][] = [
  [
    'a text, letter by letter',
    { pattern: 'colour', replace: 'color' },
    5,
    {
      'a.md': '---\ntags: [work]\n---\ncolor of work #work/home\r\nColour\r\n',
      'b/c.md': 'color color `color` [[color]]\n',
    },
  ],
  [
    'only below a folder',
    { pattern: 'colour', replace: 'x', prefix: 'b/' },
    4,
    { 'b/c.md': 'x x `x` [[x]]\n' },
  ],
  [
    'a text over two lines; new line ends are those most lines have',
    { pattern: 'home\nC', replace: 'home\n\nc' },
    1,
    { 'a.md': '---\ntags: [work]\n---\ncolour of work #work/home\n\ncolour\r\n' },
  ],
  [
    'an expression with groups',
    { pattern: '([Cc])olour', replace: '$1olor', kind: 'regex' },
    6,
    {
      'a.md': '---\ntags: [work]\n---\ncolor of work #work/home\r\nColor\r\n',
      'b/c.md': 'color color `color` [[color]]\n',
    },
  ],
  [
    'line ends, whichever they are',
    { pattern: '$', replace: ';', kind: 'regex', prefix: 'a.md' },
    5,
    { 'a.md': '---;\ntags: [work];\n---;\ncolour of work #work/home;\r\nColour;\r\n' },
  ],
  [
    'an expression over two lines',
    { pattern: '(home)\\n(C)', replace: '$2$1', kind: 'regex' },
    1,
    { 'a.md': '---\ntags: [work]\n---\ncolour of work #work/Chomeolour\r\n' },
  ],
  [
    'a tag with those below it, and no other word',
    { pattern: '#work', replace: 'job', kind: 'tag' },
    2,
    { 'a.md': '---\ntags: [job]\n---\ncolour of work #job/home\r\nColour\r\n' },
  ],
];

describe('vault_replace', () => {
  for (const [about, args, places, after] of ROWS) {
    test(`${about}; one change, undone as one`, async (context) => {
      const bench = await notesBench(context, { files: FILES });
      const { plan, done } = await replace(bench, args);
      assert.deepEqual([plan.replacements, plan.notes], [places, Object.keys(after).length]);
      assert.deepEqual(done.files, plan.files);
      for (const [path, text] of Object.entries({ ...FILES, ...after })) {
        assert.equal(await bench.text(path), text);
      }
      await bench.open.vault.changes.undo(done.change_id);
      for (const [path, text] of Object.entries(FILES)) assert.equal(await bench.text(path), text);
    });
  }

  test('a plan beyond the highest limit is not advised to raise it', async (context) => {
    const bench = await notesBench(context, { files: { 'a.md': 'x '.repeat(6000) } });
    const replace = { pattern: 'x', replace: 'y' };
    const { message } = await bench.refusal('vault_replace', { ...replace, limit: 5000 });
    assert.match(message, /more than 5000 places to replace; narrow prefix or pattern$/);
    assert.match(
      (await bench.refusal('vault_replace', replace)).message,
      /raise limit up to 5000$/,
    );
  });

  test('a note that changed since the dry run makes the plan stale', async (context) => {
    const bench = await notesBench(context, { files: FILES });
    const args = { pattern: 'colour', replace: 'x' };
    const { plan_hash } = await bench.call('vault_replace', args);
    await bench.put('b/c.md', 'colour colour `colour` [[colour]]!\n');
    const real = { ...args, dry_run: false, plan_hash };
    assert.equal((await bench.refusal('vault_replace', real)).code, 'plan_stale');
    await bench.put('b/c.md', FILES['b/c.md']);
    await bench.put('e.md', 'another colour');
    assert.equal((await bench.refusal('vault_replace', real)).code, 'plan_stale');
    assert.equal(await bench.text('a.md'), FILES['a.md']);
    const other = { ...real, replace: 'y' };
    assert.equal((await bench.refusal('vault_replace', other)).code, 'plan_stale');
  });

  test('more places than the limit are refused, also by an expression that matches everywhere', async (context) => {
    const files = { 'a.md': 'x'.repeat(100_000), 'b.md': 'x' };
    const bench = await notesBench(context, { files });
    for (const args of [
      { pattern: 'x', replace: 'y', limit: 1000 },
      { pattern: 'y*', replace: 'z', kind: 'regex' },
      { pattern: 'x', replace: '$&$&', kind: 'regex', limit: 10 },
    ]) {
      const { code, data } = await bench.refusal('vault_replace', args);
      assert.equal(code, 'limit_exceeded');
      assert.ok(data.found_at_least > data.limit);
    }
    assert.equal(
      (await bench.call('vault_replace', { pattern: 'x', replace: 'y', prefix: 'b.md' })).notes,
      1,
    );
  });

  test('an expression that never ends is stopped, and meanwhile others read and write', async (context) => {
    const bench = await notesBench(context, { files: { 'a.md': `${'a'.repeat(50)}!\n` } });
    const pattern = '^(a+)+$';
    const stopped = bench.refusal('vault_replace', { pattern, replace: '', kind: 'regex' });
    const created = await bench.call('note_create', { path: 'b', content: 'b' });
    const first = await Promise.race([stopped, bench.call('note_read', { path: 'b' })]);
    assert.ok('content' in first, 'the read came first');
    assert.ok(created.change_id);
    assert.equal((await stopped).code, 'regex_timeout');
    assert.equal((await bench.call('vault_replace', { pattern: '!', replace: '.' })).notes, 1);
  });

  const refused: [about: string, args: object, code: string][] = [
    ['a run without a plan', { pattern: 'a', replace: 'b', dry_run: false }, 'invalid_arguments'],
    ['no expression', { pattern: '(', replace: 'b', kind: 'regex' }, 'regex_invalid'],
    ['no tag', { pattern: 'a b', replace: 'c', kind: 'tag' }, 'invalid_arguments'],
    ['a tag gone', { pattern: 'a', replace: '', kind: 'tag' }, 'invalid_arguments'],
    ['nothing', { pattern: '', replace: 'c' }, 'invalid_arguments'],
    ['a hidden folder', { pattern: 'a', replace: 'b', prefix: '.notes' }, 'path_hidden'],
    ['another vault’s folder', { pattern: 'a', replace: 'b', prefix: '../x' }, 'path_invalid'],
  ];
  for (const [about, args, code] of refused) {
    test(`${about} is refused`, async (context) => {
      const bench = await notesBench(context, { files: { 'a.md': 'a' } });
      assert.equal((await bench.refusal('vault_replace', args)).code, code);
    });
  }

  test('a replacement that would break the frontmatter is reported by the dry run', async (context) => {
    const bench = await notesBench(context, { files: { 'a.md': '---\na: [x]\n---\n' } });
    const { warnings } = await bench.call('vault_replace', { pattern: 'x]', replace: 'x' });
    assert.match(warnings[0], /frontmatter of "a.md" would be invalid/);
  });

  test('notes that could not be looked at are counted', async (context) => {
    const bench = await notesBench(context, { files: { 'a.md': 'x', 'b.md': 'x\0' } });
    const warnings = async () =>
      (await bench.call('vault_replace', { pattern: 'x', replace: 'y' })).warnings;
    assert.deepEqual(await warnings(), ['1 note is not indexed and was not searched']);
    await bench.put('c.md', '\0');
    assert.deepEqual(await warnings(), ['2 notes are not indexed and were not searched']);
  });

  test('a plan over many notes shows a few of them and tells of the rest', async (context) => {
    const files: Record<string, string> = {};
    for (let n = 0; n < 300; n++) files[`n${n}.md`] = `colour ${'long line '.repeat(200)}\n`;
    const bench = await notesBench(context, { files });
    const { plan, done } = await replace(bench, { pattern: 'colour', replace: 'color' });
    assert.ok(JSON.stringify(plan).length < 20_000);
    assert.equal(plan.files.length + plan.files_left_out, 300);
    assert.equal(done.notes, 300);
    assert.equal((await bench.open.index.grep({ pattern: 'colour' })).matches.length, 0);
  });
});
