import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt } from '../../../test/support/notes/attempt.ts';
import { parseNote } from '../markdown/parse-note.ts';
import { EditError } from '../text/edit-error.ts';
import { applyReplacements } from '../text/replacements.ts';
import { editText, type TextEdit } from './edit-text.ts';

function edit(text: string, ...edits: TextEdit[]) {
  const note = parseNote(Buffer.from(text));
  const made = attempt(editText, note, edits);
  assert.ok(!(made instanceof EditError), made instanceof EditError ? made.message : '');
  return { made, after: applyReplacements(note.bytes, made).toString() };
}

function refuse(text: string, ...edits: TextEdit[]): EditError {
  const made = attempt(editText, parseNote(Buffer.from(text)), edits);
  assert.ok(made instanceof EditError);
  return made;
}

const CASES: [about: string, before: string, edits: TextEdit[], after: string][] = [
  ['one place', 'a b c', [{ old_string: 'b', new_string: 'x' }], 'a x c'],
  ['every place', 'b b', [{ old_string: 'b', new_string: 'x', replace_all: true }], 'x x'],
  ['as many as expected', 'b b', [{ old_string: 'b', new_string: 'x', expected_count: 2 }], 'x x'],
  [
    'one after another',
    'a',
    [
      { old_string: 'a', new_string: 'bc' },
      { old_string: 'b', new_string: 'd' },
    ],
    'dc',
  ],
  ['removal', 'a b', [{ old_string: ' b', new_string: '' }], 'a'],
  ['over CRLF', 'a\r\nb\r\nc', [{ old_string: 'a\nb', new_string: 'a\nx\nb' }], 'a\r\nx\r\nb\r\nc'],
  ['CRLF in LF', 'a\nb', [{ old_string: 'a\r\nb', new_string: 'x\r\ny' }], 'x\ny'],
  [
    'a line end that is not the common one stays',
    'a\r\nb\nc\nd',
    [{ old_string: 'a\nb', new_string: 'a\nx' }],
    'a\r\nx\nc\nd',
  ],
  ['special patterns are text', 'a', [{ old_string: 'a', new_string: '$& $1 \\n' }], '$& $1 \\n'],
  ['characters of several bytes', 'äöü', [{ old_string: 'ö', new_string: '日' }], 'ä日ü'],
];

test('old text gives way to new text, with the line ends of the note', () => {
  for (const [about, before, edits, after] of CASES) {
    assert.equal(edit(before, ...edits).after, after, about);
  }
});

test('only what differs is replaced', () => {
  const { made } = edit('one two three', {
    old_string: 'one two three',
    new_string: 'one 2 three',
  });
  assert.deepEqual(made, [{ start: 4, end: 7, bytes: Buffer.from('2') }]);
});

test('text that is not there is refused with the closest line', () => {
  const error = refuse('alpha\nthe quick fox\nomega', {
    old_string: 'the quikc fox',
    new_string: '',
  });
  assert.equal(error.code, 'text_not_found');
  assert.deepEqual(error.data, { edit: 0, closest: { line: 2, text: 'the quick fox' } });
});

const NOT_UNIQUE: [before: string, edit: TextEdit, count: number][] = [
  ['b b', { old_string: 'b', new_string: 'x' }, 2],
  ['b b', { old_string: 'b', new_string: 'x', expected_count: 3 }, 2],
  ['b b', { old_string: 'b', new_string: 'x', replace_all: true, expected_count: 1 }, 2],
  ['aaa', { old_string: 'aa', new_string: 'x' }, 1],
];

test('text in more or fewer places than expected is refused', () => {
  for (const [before, wanted, count] of NOT_UNIQUE) {
    const error = refuse(before, wanted);
    assert.equal(error.code, 'text_not_unique', before);
    assert.equal(error.data.count, count);
  }
});

test('one edit that fails fails them all and says which', () => {
  const error = refuse(
    'a b',
    { old_string: 'a', new_string: 'x' },
    { old_string: 'a', new_string: 'y' },
  );
  assert.equal(error.code, 'text_not_found');
  assert.equal(error.data.edit, 1);
});

test('no edits and empty text are refused', () => {
  assert.equal(refuse('a').code, 'invalid_arguments');
  assert.equal(refuse('a', { old_string: '', new_string: 'x' }).code, 'invalid_arguments');
});

test('text with too many occurrences is refused, and up to the limit it is replaced', () => {
  const edit = { old_string: 'x', new_string: 'y', replace_all: true };
  const most = parseNote(Buffer.from('x'.repeat(100_000)));
  assert.ok(Array.isArray(attempt(editText, most, [edit])));
  const more = attempt(editText, parseNote(Buffer.from('x'.repeat(100_001))), [edit]);
  assert.ok(more instanceof EditError);
  assert.equal(more.code, 'invalid_arguments');
});
