import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';

const NOTE = '- [ ] milk\n- [x] bread\n- [ ] eggs\n- [ ] eggs\n';

const TOGGLES = [
  [{ line: 1 }, '[ ] milk', '[x] milk'],
  [{ line: 2 }, '[x] bread', '[ ] bread'],
  [{ text: 'bread' }, '[x] bread', '[ ] bread'],
  [{ text: 'milk', done: true }, '[ ] milk', '[x] milk'],
  [{ line: 1, expected_text: 'milk' }, '[ ] milk', '[x] milk'],
  [{ line: 2, done: true }, '', ''],
] as const;

test('one byte of the note changes at most', async (context) => {
  const bench = await notesBench(context);
  for (const [args, from, to] of TOGGLES) {
    await bench.put('a.md', NOTE);
    const { change_id } = await bench.call('task_toggle', { path: 'a.md', ...args });
    assert.equal(await bench.text('a.md'), NOTE.replace(from, to), JSON.stringify(args));
    assert.equal(change_id === null, from === to, JSON.stringify(args));
  }
});

const REFUSED = [
  [{}, 'invalid_arguments'],
  [{ line: 1, text: 'milk' }, 'invalid_arguments'],
  [{ line: 0 }, 'invalid_arguments'],
  [{ line: 9 }, 'task_changed'],
  [{ text: 'eggs' }, 'task_changed'],
  [{ text: 'mil' }, 'task_changed'],
  [{ line: 1, expected_text: 'bread' }, 'task_changed'],
] as const;

test('a task that is not the one that was meant is left alone', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': NOTE } });
  for (const [args, code] of REFUSED) {
    const refused = await bench.refusal('task_toggle', { path: 'a.md', ...args });
    assert.equal(refused.code, code, JSON.stringify(args));
    assert.equal(await bench.text('a.md'), NOTE, JSON.stringify(args));
  }
});
