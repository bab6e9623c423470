import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt } from '../../../test/support/notes/attempt.ts';
import { parseNote } from '../markdown/parse-note.ts';
import { EditError } from '../text/edit-error.ts';
import { applyReplacements } from '../text/replacements.ts';
import { editTask, type TaskEdit } from './edit-task.ts';

const NOTE =
  'x\r\n- [ ] one\r\n- [X] two\r\n- [ ] twin\r\n> - [ ] twin\r\n```\r\n- [ ] code\r\n```\r\n- [/] begun\r\n- DOING word\r\n';

const DONE: [edit: TaskEdit, before: string, after: string][] = [
  [{ line: 2 }, '[ ] one', '[x] one'],
  [{ text: 'one', done: true }, '[ ] one', '[x] one'],
  [{ text: ' two ', expected_text: 'two' }, '[X] two', '[ ] two'],
  [{ line: 5, expected_text: 'twin' }, '> - [ ] twin', '> - [x] twin'],
  [{ line: 9 }, '[/] begun', '[x] begun'],
  [{ line: 9, state: '-' }, '[/] begun', '[-] begun'],
  [{ line: 2, state: '>' }, '[ ] one', '[>] one'],
  [{ line: 10 }, 'DOING word', 'DONE word'],
  [{ text: 'word', done: false }, '', ''],
  [{ line: 10, state: 'LATER' }, 'DOING word', 'LATER word'],
  [{ line: 3, done: true }, '', ''],
  [{ line: 2, done: false }, '', ''],
];

test('only the state changes, and none where the task is so already', () => {
  for (const [edit, before, after] of DONE) {
    const note = parseNote(Buffer.from(NOTE));
    const made = attempt(editTask, note, edit);
    assert.ok(!(made instanceof EditError));
    assert.equal(applyReplacements(note.bytes, made).toString(), NOTE.replace(before, after));
  }
});

const REFUSED: [edit: TaskEdit, code: string][] = [
  [{ line: 2, expected_text: 'two' }, 'task_changed'],
  [{ line: 1 }, 'task_changed'],
  [{ line: 7 }, 'task_changed'],
  [{ text: 'twin' }, 'task_changed'],
  [{ text: 'on' }, 'task_changed'],
  [{}, 'invalid_arguments'],
  [{ line: 2, text: 'one' }, 'invalid_arguments'],
  [{ line: 2, state: 'DONE' }, 'invalid_arguments'],
  [{ line: 2, state: ']' }, 'invalid_arguments'],
  [{ line: 2, state: '' }, 'invalid_arguments'],
  [{ line: 10, state: 'x' }, 'invalid_arguments'],
  [{ line: 10, state: 'DONE\nDONE' }, 'invalid_arguments'],
];

test('a task that is another by now, or not the only one, is left alone', () => {
  for (const [edit, code] of REFUSED) {
    const made = attempt(editTask, parseNote(Buffer.from(NOTE)), edit);
    assert.ok(made instanceof EditError);
    assert.equal(made.code, code, JSON.stringify(edit));
  }
});
