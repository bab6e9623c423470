import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { notesBench } from '../../test/support/notes/notes-tools.ts';
import { parseNote, parses } from './markdown/parse-note.ts';

const parsed: string[] = [];
const listen = (bytes: unknown) => parsed.push(String(bytes));
before(() => parses.subscribe(listen));
after(() => parses.unsubscribe(listen));
beforeEach(() => {
  parsed.length = 0;
});

const NOTE = '# Plan\n\n## Steps\n\n- [ ] one\n\n## Links\n\n[[b]]\n';

const EDITS = [
  ['note_edit', { path: 'a.md', edits: [{ old_string: 'one', new_string: 'two' }] }],
  [
    'note_section_edit',
    { path: 'a.md', heading: 'Steps', mode: 'append_to_section', content: 'more' },
  ],
  ['task_toggle', { path: 'a.md', line: 5 }],
] as const;

for (const [tool, args] of EDITS) {
  test(`${tool} parses its note once before and once after the edit`, async (context) => {
    const files = { 'a.md': `${NOTE}${tool}`, 'b.md': '# B\n' };
    const bench = await notesBench(context, { files });
    parsed.length = 0;
    await bench.call(tool, args);
    const changed = await bench.text('a.md');
    assert.notEqual(changed, files['a.md']);
    assert.deepEqual(parsed.filter((text) => text === files['a.md']).length, 1);
    assert.deepEqual(parsed.filter((text) => text === changed).length, 1);
    assert.equal(parsed.length, new Set(parsed).size);
  });
}

test('a buffer that was written to since is parsed anew', () => {
  const bytes = Buffer.from('# One\n');
  assert.equal(parseNote(bytes).title, 'One');
  bytes.write('# Two\n');
  assert.equal(parseNote(bytes).title, 'Two');
});

test('only the notes parsed last are kept, and none that is large', () => {
  const large = Buffer.from('word '.repeat(40_000));
  for (const bytes of [large, large]) parseNote(bytes);
  assert.equal(parsed.length, 2);
  const notes = Array.from({ length: 5 }, (_, note) => Buffer.from(`# Note ${note}\n`));
  for (const bytes of [...notes, ...notes]) parseNote(bytes);
  assert.equal(parsed.length, 2 + 10);
});
