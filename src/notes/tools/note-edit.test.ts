import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';

const NOTE = '# List\r\n\r\none two one\r\nthree\r\n';

test('edits are made one after the other in the line ends of the note', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': NOTE } });
  const result = await bench.call('note_edit', {
    path: 'a.md',
    edits: [
      { old_string: 'three', new_string: 'four\nfive' },
      { old_string: 'four', new_string: '4' },
      { old_string: 'one', new_string: '1', replace_all: true },
    ],
  });
  assert.equal(await bench.text('a.md'), '# List\r\n\r\n1 two 1\r\n4\r\nfive\r\n');
  assert.match(result.diff, /^\+five$/m);
});

test('expected_count is how often the text must be there', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': NOTE } });
  const edit = { old_string: 'one', new_string: '1' };
  const edits = (expected_count: number) => ({ path: 'a', edits: [{ ...edit, expected_count }] });
  const refused = await bench.refusal('note_edit', edits(3));
  assert.deepEqual([refused.code, refused.data.count], ['text_not_unique', 2]);
  await bench.call('note_edit', edits(2));
  assert.equal(await bench.text('a.md'), NOTE.replaceAll('one', '1'));
});

const REFUSED = [
  ['not there', [{ old_string: 'on two', new_string: '' }], 'text_not_found', 'one two one'],
  ['there twice', [{ old_string: 'one', new_string: '' }], 'text_not_unique', '"lines":[3,3]'],
  ['empty', [{ old_string: '', new_string: 'x' }], 'invalid_arguments', 'old_string'],
  ['without a new text', [{ old_string: 'two' }], 'invalid_arguments', 'new_string'],
] as const;

test('one edit that cannot be made keeps the others from being made', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': NOTE } });
  const first = { old_string: 'three', new_string: 'four' };
  for (const [what, edits, code, shown] of REFUSED) {
    const refused = await bench.refusal('note_edit', { path: 'a.md', edits: [first, ...edits] });
    assert.equal(refused.code, code, what);
    assert.ok(JSON.stringify(refused).includes(shown), JSON.stringify(refused));
    assert.equal(await bench.text('a.md'), NOTE, what);
  }
});

test('what an edit leaves open or points nowhere is warned of', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'text\n', 'b.md': '' } });
  const edit = { old_string: 'text', new_string: '[[b]] [[nowhere]] [x](b.md)\n\n```' };
  const { warnings } = await bench.call('note_edit', { path: 'a.md', edits: [edit] });
  assert.deepEqual(warnings, [
    'the fence opened in line 3 is not closed and includes everything after it',
    'no file exists yet for the link to "nowhere" (line 1)',
  ]);
  // What was so before, the edit has not done.
  const again = [{ old_string: '[[b]]', new_string: 'b' }];
  assert.deepEqual((await bench.call('note_edit', { path: 'a.md', edits: again })).warnings, []);
});

test('links elsewhere to a heading that an edit takes away are warned of', async (context) => {
  const files = {
    'a.md': '# One\n\n## Two\n',
    'b.md': '[[a#Two]]\n',
    'c.md': '[[a#One]]\n'.repeat(200),
    'd.md': '[[a#Two]]\n',
  };
  const bench = await notesBench(context, { files });
  const edits = [{ old_string: '## Two', new_string: '## 2' }];
  const { warnings } = await bench.call('note_edit', { path: 'a.md', edits });
  assert.deepEqual(warnings, ['links to a removed heading remain in "b.md", "d.md"']);
});
