import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';
import { parseNote } from '../markdown/parse-note.ts';

const NOTE =
  '---\ntitle: "Plan" # the title\ntags: [a, b]\naliases:\n  - P\nstate: open\n---\n\ntext\n';

const EDITS = [
  ['set', { set: { state: 'done' } }, 'state: open', 'state: done'],
  ['set in quotes', { set: { title: 'Map' } }, '"Plan" #', '"Map" #'],
  ['set anew', { set: { due: 3 } }, 'state: open\n', 'state: open\ndue: 3\n'],
  ['unset', { unset: ['state'] }, 'state: open\n', ''],
  ['add_tags', { add_tags: ['#c'] }, '[a, b]', '[a, b, c]'],
  ['remove_tags', { remove_tags: ['a'] }, '[a, b]', '[b]'],
  ['add_aliases', { add_aliases: ['Q'] }, '  - P\n', '  - P\n  - Q\n'],
  ['remove_aliases', { remove_aliases: ['P'] }, /aliases:\n {2}- P\n/, undefined],
] as const;

test('an edit changes its own lines and no other', async (context) => {
  const bench = await notesBench(context);
  for (const [what, edit, from, to] of EDITS) {
    await bench.put('a.md', NOTE);
    const result = await bench.call('note_frontmatter', { path: 'a.md', ...edit });
    const text = await bench.text('a.md');
    if (to !== undefined) assert.equal(text, NOTE.replace(from, to), what);
    else assert.doesNotMatch(text, from, what);
    assert.ok(text.endsWith('---\n\ntext\n'), what);
    assert.notEqual(result.change_id, null, what);
  }
});

test('a note without frontmatter gets one, with what was asked for alone', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'text\n' } });
  await bench.call('note_frontmatter', { path: 'a.md', add_tags: ['x'] });
  assert.equal(await bench.text('a.md'), '---\ntags: [x]\n---\ntext\n');
});

test('a frontmatter that cannot be read is refused and kept', async (context) => {
  const broken = '---\nkey: [\n---\ntext\n';
  const bench = await notesBench(context, { files: { 'a.md': broken } });
  const { code } = await bench.refusal('note_frontmatter', { path: 'a.md', set: { x: 1 } });
  assert.equal(code, 'frontmatter_invalid');
  assert.equal(await bench.text('a.md'), broken);
});

const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
const WRONG = [
  ['nothing', {}],
  ['empty lists', { set: {}, unset: [] }],
  ['no tag', { add_tags: ['two words'] }],
  ['an empty tag', { add_tags: [''] }],
  ['a prototype', { set: JSON.parse('{"__proto__": {"x": 1}}') }],
  ['endless nesting', { set: { x: deep } }],
  ['half a character', { set: { x: '\ud800' } }],
  ['half a character in a key', { set: { 'x\udc00': 1 } }],
  ['a list', { set: [] }],
] as const;

test('what cannot be an edit is invalid_arguments', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': NOTE } });
  for (const [what, edit] of WRONG) {
    const { code } = await bench.refusal('note_frontmatter', { path: 'a.md', ...edit });
    assert.equal(code, 'invalid_arguments', what);
    assert.equal(await bench.text('a.md'), NOTE, what);
  }
});

test('any key and value that is taken is read back as it was given', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': NOTE } });
  const set = {
    'a: b': '- x',
    '---': '---\n...',
    'ключ "q"': ['x, y', { z: null }],
    constructor: 'yes',
    no: '2026-11-15',
    empty: '',
    'trailing ': '#tag',
  };
  await bench.call('note_frontmatter', { path: 'a.md', set });
  const { frontmatter } = parseNote(await bench.bytes('a.md'));
  assert.deepEqual({ ...frontmatter?.data, ...set }, frontmatter?.data);
});
