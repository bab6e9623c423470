import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EditError } from '../text/edit-error.ts';
import { editNoteBytes, type NoteEdit } from '../text/edit-note.ts';
import { parseNote } from '../text/parse-note.ts';
import { editedNote, readNote } from './heavy-notes.ts';

const BODY = '---\ntags: [a]\n---\n\n# One\n\n- [ ] task\n\n## Two [[link]] #tag\n\nold text\n';
const SMALL = Buffer.from(BODY);
const LARGE = Buffer.from(BODY + 'a line of a log\n\n'.repeat(60_000));
const HEADINGS = Buffer.from(
  Array.from({ length: 60_000 }, (_, at) => `## Heading ${at}\n`).join(''),
);

const EDITS: Readonly<Record<string, NoteEdit>> = {
  whole: { whole: '# Other\n' },
  texts: { texts: [{ old_string: 'old text', new_string: 'new\ntext' }] },
  section: { section: { mode: 'append_to_section', heading: 'One', content: 'more' } },
  frontmatter: { frontmatter: { set: { status: 'done' } } },
  task: { task: { line: 7, done: true } },
};
const REFUSED: Readonly<Record<string, NoteEdit>> = {
  texts: { texts: [{ old_string: 'is nowhere', new_string: '' }] },
  section: { section: { mode: 'append_to_section', heading: 'Three', content: 'x' } },
  task: { task: { line: 1 } },
};

for (const [size, bytes] of Object.entries({ SMALL, LARGE })) {
  describe(`a ${size.toLowerCase()} note`, () => {
    test('is read as parseNote reads it', async () => {
      assert.deepEqual(await readNote(bytes), parseNote(bytes));
    });
    for (const [kind, edit] of Object.entries(EDITS)) {
      test(`gets the bytes of the edit: ${kind}`, async () => {
        const edited = await editedNote(bytes, edit);
        assert.ok(Buffer.isBuffer(edited));
        assert.ok(edited.equals(editNoteBytes(bytes, edit) as Buffer));
        assert.ok(!edited.equals(bytes));
      });
    }
    for (const [kind, edit] of Object.entries(REFUSED)) {
      test(`is refused with the same code, words and data: ${kind}`, async () => {
        const refused = await editedNote(bytes, edit);
        assert.ok(refused instanceof EditError);
        assert.deepEqual(refused, editNoteBytes(bytes, edit));
      });
    }
  });
}

test('others are served while large notes are read and edited', async () => {
  let isDone = false;
  let served = 0;
  const serve = () => {
    served++;
    if (!isDone) setTimeout(serve, 1);
  };
  serve();
  await Promise.all([
    readNote(HEADINGS),
    editedNote(HEADINGS, { section: { mode: 'append_to_note', content: 'x' } }),
  ]);
  isDone = true;
  assert.ok(served > 20, `${served} others were served`);
});
