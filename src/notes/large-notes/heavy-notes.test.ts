import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { attempt } from '../../../test/support/notes/attempt.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { editNoteBytes, type NoteEdit } from '../edit/edit-note.ts';
import type { VaultPath } from '../files/vault-path.ts';
import { parseNote } from '../markdown/parse-note.ts';
import { EditError } from '../text/edit-error.ts';
import { type ViewArguments, viewFile } from '../tool-kit/read-view.ts';
import { compareNotes } from './compare-notes.ts';
import {
  comparedNotes,
  cutNote,
  editedNote,
  joinedNotes,
  movedSection,
  readNames,
  readNote,
  viewedFile,
} from './heavy-notes.ts';
import { heavyWork } from './heavy-work.ts';

const BODY = '---\ntags: [a]\n---\n\n# One\n\n- [ ] task\n\n## Two [[link]] #tag\n\nold text\n';
const SMALL = Buffer.from(BODY);
const LARGE = Buffer.from(BODY + 'a line of a log\n\n'.repeat(15_000));
const HEADINGS = Buffer.from(
  Array.from({ length: propertyRuns(60_000) }, (_, at) => `## Heading ${at}\n`).join(''),
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

const FILE = { path: 'a.md' as VaultPath, contentHash: 'sha256-0' };
const VIEWS: readonly ViewArguments[] = [
  {},
  { view: 'outline' },
  { view: 'full' },
  { heading: 'One' },
  { lines: '3-5' },
];

const LINK = [
  { start: BODY.indexOf('link]]'), end: BODY.indexOf(']]'), bytes: Buffer.from('elsewhere') },
];

for (const [size, bytes] of Object.entries({ SMALL, LARGE })) {
  describe(`a ${size.toLowerCase()} note`, () => {
    test('is read as parseNote reads it', async () => {
      const { tags, tasks, sections } = parseNote(bytes);
      assert.deepEqual({ ...(await readNote(bytes)), tags, tasks, sections }, parseNote(bytes));
    });
    for (const args of VIEWS) {
      test(`is shown as viewFile shows it: ${JSON.stringify(args)}`, async () => {
        const request = { file: { ...FILE, bytes }, args, maxChars: 18_000, beside: { more: 1 } };
        const shown = viewFile(request.file, args, 18_000, { more: 1 });
        assert.deepEqual(await viewedFile(request), shown);
      });
    }
    test('is refused where what is to be shown is not there', async () => {
      const request = {
        file: { ...FILE, bytes },
        args: { heading: 'Three' },
        maxChars: 1,
        beside: {},
      };
      await assert.rejects(viewedFile(request), { name: 'NotesError', code: 'heading_not_found' });
    });
    test('is compared as compareNotes compares it', async () => {
      const after = Buffer.from(bytes.toString().replace('## Two', '## Three [[fresh]]'));
      const compared = compareNotes('a.md', bytes, after);
      assert.deepEqual(compared.lostHeadings, ['Two [[link]] #tag']);
      assert.deepEqual(await comparedNotes('a.md', bytes, after), compared);
    });
    test('goes into another, takes one in and is cut, as a small one is', async () => {
      const moved = { path: 'b.md', bytes: Buffer.from('# Other\n\nmore\n') };
      const target = { path: 'a.md', bytes };
      const { bytes: joined } = await joinedNotes(moved, target);
      assert.ok(joined.equals(heavyWork.join({ moved, target }).bytes));
      assert.deepEqual(await readNames(joined), { title: 'One', aliases: ['b'], addresses: [] });

      const cut = { line: 9, to: 'c.md', isUnique: true, staying: [], leaving: LINK };
      const { rest, created } = await cutNote({ path: 'a.md', bytes }, cut);
      assert.match(rest.toString(), /^\[\[c\|Two link #tag\]\]$/m);
      assert.match(created.toString(), /^## Two \[\[elsewhere\]\] #tag\n\nold text\n/);

      const request = { source: bytes, section: { line: 9 }, place: {} };
      const split = await movedSection({ ...request, target: moved.bytes });
      assert.equal(split.rest.indexOf('## Two'), -1);
      assert.match(split.filled.toString(), /^# Other\n\nmore\n\n## Two/);
    });
    for (const [kind, edit] of Object.entries(EDITS)) {
      test(`gets the bytes of the edit: ${kind}`, async () => {
        const edited = await editedNote(bytes, edit);
        assert.ok(edited.equals(attempt(editNoteBytes, bytes, edit) as Buffer));
        assert.ok(!edited.equals(bytes));
      });
    }
    for (const [kind, edit] of Object.entries(REFUSED)) {
      test(`is refused with the same code, words and data: ${kind}`, async () => {
        const refused = attempt(editNoteBytes, bytes, edit);
        assert.ok(refused instanceof EditError);
        const { code, message, data } = refused;
        await assert.rejects(editedNote(bytes, edit), { name: 'NotesError', code, message, data });
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
    viewedFile({
      file: { ...FILE, bytes: HEADINGS },
      args: { view: 'full' },
      maxChars: 9,
      beside: {},
    }),
    comparedNotes('a.md', HEADINGS, Buffer.concat([HEADINGS, HEADINGS])),
    editedNote(HEADINGS, { section: { mode: 'append_to_note', content: 'x' } }),
  ]);
  isDone = true;
  assert.ok(served > 20, `${served} others were served`);
});
