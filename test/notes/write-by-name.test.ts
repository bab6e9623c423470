/** Tools that write find a note as tools that read do, and say which they took. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notesBench } from '../support/notes/notes-tools.ts';

const NOTE = '---\naliases: [nickname]\n---\n# The Title\n\n## Part\n\n- [ ] task\n';
const FILES = { 'f/plan.md': NOTE, 'other.md': '# Other Title\n', 'dup/plan 2.md': '# Twin\n' };

const CALLS: readonly (readonly [tool: string, args: object])[] = [
  ['note_edit', { edits: [{ old_string: 'task', new_string: 'tusk' }] }],
  ['note_section_edit', { mode: 'append_to_note', content: 'x' }],
  ['note_section_edit', { mode: 'rename_heading', heading: 'Part', to: 'Share' }],
  ['note_section_edit', { mode: 'move_section', heading: 'Part', to: 'other.md' }],
  ['note_frontmatter', { set: { a: 1 } }],
  ['task_toggle', { line: 8 }],
  ['note_split', { level: 2 }],
  ['note_merge', { into: 'other' }],
  ['note_move', { to: 'moved.md' }],
  ['note_delete', {}],
];

for (const name of ['plan', 'nickname', 'THE TITLE']) {
  test(`"${name}" is taken for the note by every tool`, async (context) => {
    const bench = await notesBench(context, { files: FILES });
    for (const [tool, args] of CALLS) {
      const call = { path: name, ...args, dry_run: true };
      const result = await bench.call(tool, call);
      assert.equal(result.warnings[0], `"${name}" was taken for "f/plan.md"`, tool);
    }
    const { content_hash } = await bench.call('note_read', { path: name });
    const write = { path: name, content: 'x', content_hash };
    assert.equal((await bench.call('note_write', write)).path, 'f/plan.md');
  });
}

test('the second note of a call is found by its title, too', async (context) => {
  const bench = await notesBench(context, { files: FILES });
  const told = '"Other Title" was taken for "other.md"';
  const section = { path: 'f/plan', mode: 'move_section', heading: 'Part' };
  for (const [tool, args] of [
    ['note_section_edit', { ...section, to: { path: 'Other Title' } }],
    ['note_merge', { path: 'f/plan', into: 'Other Title' }],
  ] as const) {
    const { warnings } = await bench.call(tool, { ...args, dry_run: true });
    assert.equal(warnings[0], told, tool);
  }
  const made = await bench.call('note_create', { path: 'new', template: 'Other Title' });
  assert.match(made.diff, /Other Title/);
});

test('a path needs no warning, and a name of two notes is refused with both', async (context) => {
  const files = { ...FILES, 'g/plan.md': 'x' };
  const bench = await notesBench(context, { files });
  const edit = { mode: 'append_to_note', content: 'x', dry_run: true };
  for (const path of ['f/plan', 'f/plan.md', 'F/Plan']) {
    const { warnings } = await bench.call('note_section_edit', { path, ...edit });
    assert.deepEqual(warnings, [], path);
  }
  const { code, data } = await bench.refusal('note_section_edit', { path: 'plan', ...edit });
  assert.deepEqual([code, data.candidates], ['note_not_found', ['f/plan.md', 'g/plan.md']]);
});
