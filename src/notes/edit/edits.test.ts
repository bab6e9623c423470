/**
 * For random notes, every edit leaves the bytes outside the addressed range as they were. What was
 * addressed is found here in a second, plain way: by comparing the note before and after.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  arbitraryNote,
  assertOutsideKept,
  outline,
} from '../../../test/support/notes/arbitrary-note.ts';
import { attempt } from '../../../test/support/notes/attempt.ts';
import { rewriteLinks } from '../../../test/support/notes/rewrite-links.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { editFrontmatter } from '../frontmatter/edit-frontmatter.ts';
import { parseNote } from '../markdown/parse-note.ts';
import type { ParsedNote } from '../markdown/parsed-note.ts';
import { EditError } from '../text/edit-error.ts';
import { applyReplacements, EditSequence } from '../text/replacements.ts';
import { editTask } from './edit-task.ts';
import { editText } from './edit-text.ts';
import { replaceAll } from './replace-all.ts';

const RUNS = { numRuns: propertyRuns(1500) };

test('any note is read, its ranges lie in it, and its sections are its body', () => {
  fc.assert(
    fc.property(fc.oneof(arbitraryNote, fc.uint8Array().map(Buffer.from)), (bytes) => {
      const note = parseNote(Buffer.from(bytes));
      const { length } = note.bytes;
      for (const { start, end } of [...note.links, ...note.tags, ...note.headings]) {
        assert.ok(0 <= start && start < end && end <= length);
      }
      for (const { mark } of note.tasks) assert.equal(note.latin1[mark - 1], '[');
      const body = note.frontmatter?.end ?? (note.hasBom ? 3 : 0);
      const cut = note.sections.map(({ start, end }) => note.latin1.slice(start, end));
      assert.equal(cut.join(''), note.latin1.slice(body));
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('setting one key of the frontmatter changes one line', () => {
  let made = 0;
  fc.assert(
    fc.property(
      arbitraryNote,
      fc.constantFrom('title', 'new key', 'list', 'key', 'empty', 'indented', 'tags'),
      fc.constantFrom<unknown>('x', 'a: b', 7, true, null, ['a', 'b'], { a: 1 }, 'ü\nü', ''),
      (bytes, key, value) => {
        const note = parseNote(bytes);
        const result = attempt(editFrontmatter, note, { set: { [key]: value } });
        if (result instanceof EditError) {
          assert.notEqual(note.frontmatter?.problem, undefined, result.message);
          return;
        }
        made++;
        const after = applyReplacements(bytes, result);
        const edited = parseNote(after);
        assert.deepEqual(edited.frontmatter?.data, { ...note.frontmatter?.data, [key]: value });
        assert.deepEqual(outline(edited), outline(note));
        const front = note.frontmatter ?? { start: note.hasBom ? 3 : 0, end: note.hasBom ? 3 : 0 };
        assertOutsideKept(bytes, after, front.start, front.end);
        // The lines of the other keys are those of before; a value of several lines becomes one.
        const lines = (at: ParsedNote) =>
          at.latin1
            .slice(at.frontmatter?.innerStart ?? 0, at.frontmatter?.innerEnd ?? 0)
            .split(/\r\n|\n|\r/);
        const fresh = lines(edited).filter((line) => !lines(note).includes(line));
        const block = Array.isArray(value) ? value.length : 1;
        assert.ok(fresh.length <= block, JSON.stringify(fresh));
      },
    ),
    RUNS,
  );
  assert.ok(made > RUNS.numRuns / 2, `${made} edits were made`);
});

test('tags and aliases come and go without touching the rest', () => {
  fc.assert(
    fc.property(arbitraryNote, fc.boolean(), (bytes, alias) => {
      const note = parseNote(bytes);
      const add = attempt(
        editFrontmatter,
        note,
        alias ? { add_aliases: ['q r'] } : { add_tags: ['q'] },
      );
      if (add instanceof EditError) return;
      const added = applyReplacements(bytes, add);
      const withItem = parseNote(added);
      const names = alias ? withItem.aliases : withItem.tags.map(({ name }) => name);
      assert.ok(names.includes(alias ? 'q r' : 'q'));
      const remove = attempt(
        editFrontmatter,
        withItem,
        alias ? { remove_aliases: ['q r'] } : { remove_tags: ['q'] },
      );
      assert.ok(!(remove instanceof EditError));
      const gone = parseNote(applyReplacements(added, remove));
      assert.deepEqual(gone.aliases, note.aliases);
      assert.deepEqual(
        gone.tags.map(({ name }) => name),
        note.tags.map(({ name }) => name),
      );
    }),
    RUNS,
  );
});

test('a text edit is what replacing the text by hand gives', () => {
  fc.assert(
    fc.property(
      arbitraryNote,
      fc.nat(300),
      fc.integer({ min: 1, max: 30 }),
      fc.constantFrom('', 'x', 'a\nb', '$&'),
      (bytes, at, length, text) => {
        const note = parseNote(bytes);
        const old = bytes.subarray(at, at + length);
        const wanted = old.toString();
        if (wanted === '' || !Buffer.from(wanted).equals(old)) return;
        // Half of a line end is all of it.
        if (/^\n|\r$/.test(wanted)) return;
        const made = attempt(editText, note, [{ old_string: wanted, new_string: text }]);
        if (made instanceof EditError) return;
        const expected = Buffer.concat([
          bytes.subarray(0, at),
          Buffer.from(text.replaceAll('\n', note.eol)),
          bytes.subarray(at + length),
        ]);
        const plain = (value: Buffer) => value.toString('latin1').replace(/\r\n|\r/g, '\n');
        const after = applyReplacements(bytes, made);
        if (!wanted.includes('\n') && !wanted.includes('\r')) assert.deepEqual(after, expected);
        else assert.equal(plain(after), plain(expected));
      },
    ),
    RUNS,
  );
});

test('a task edit changes one byte, and a replacement its matches alone', () => {
  fc.assert(
    fc.property(arbitraryNote, (bytes) => {
      const note = parseNote(bytes);
      for (const { line, mark } of note.tasks) {
        const made = attempt(editTask, note, { line });
        assert.ok(!(made instanceof EditError));
        const after = applyReplacements(bytes, made);
        assert.equal(after.length, bytes.length);
        assertOutsideKept(bytes, after, mark, mark + 1);
      }
      const pattern = attempt(replaceAll, note, {
        kind: 'regex',
        pattern: '(?<one>[aeo])',
        replace: '$<one>',
      });
      assert.deepEqual(pattern, [], 'each match replaced by itself is no change');
      const literal = attempt(replaceAll, note, { kind: 'literal', pattern: 'a', replace: 'ä' });
      assert.ok(!(literal instanceof EditError));
      const expected = bytes
        .toString('latin1')
        .replaceAll('a', Buffer.from('ä').toString('latin1'));
      assert.equal(applyReplacements(bytes, literal).toString('latin1'), expected);
    }),
    RUNS,
  );
});

test('mending links changes targets alone, and back again is where it began', () => {
  fc.assert(
    fc.property(arbitraryNote, (bytes) => {
      const rename = (note: ParsedNote, from: string, to: string) =>
        applyReplacements(
          note.bytes,
          rewriteLinks(note, {
            from: 'n.md',
            to: 'n.md',
            resolve: ({ target }) => (/^(?:foo|baz)(?:\.md)?$/.test(target) ? from : undefined),
            destination: () => ({ path: to }),
            isUnique: () => true,
            keepsOtherNames: false,
          }),
        );
      const note = parseNote(bytes);
      const after = parseNote(rename(note, 'foo.md', 'baz.md'));
      assert.equal(after.links.length, note.links.length);
      assert.ok(after.links.every(({ target }) => !/^foo(?:\.md)?$/.test(target)));
      assert.deepEqual(rename(after, 'baz.md', 'foo.md'), bytes);
    }),
    RUNS,
  );
});

test('edits made one after another are the same told from the beginning', () => {
  const step = fc.record({
    at: fc.nat(40),
    length: fc.nat(6),
    text: fc.constantFrom('', 'x', 'yz'),
  });
  fc.assert(
    fc.property(fc.string({ maxLength: 30 }), fc.array(step, { maxLength: 6 }), (text, steps) => {
      const bytes = Buffer.from(text);
      const sequence = new EditSequence(bytes);
      let expected: Buffer = bytes;
      for (const { at, length, text: put } of steps) {
        const start = Math.min(at, expected.length);
        const end = Math.min(start + length, expected.length);
        const replacement = { start, end, bytes: Buffer.from(put) };
        sequence.make([replacement]);
        expected = applyReplacements(expected, [replacement]);
      }
      assert.deepEqual(sequence.current, expected);
      assert.deepEqual(applyReplacements(bytes, sequence.replacements()), expected);
    }),
    RUNS,
  );
});

test('replacements that overlap or leave the note throw', () => {
  const bytes = Buffer.from('abc');
  const at = (start: number, end: number) => ({ start, end, bytes: Buffer.from('x') });
  assert.throws(() => applyReplacements(bytes, [at(0, 2), at(1, 3)]), RangeError);
  assert.throws(() => applyReplacements(bytes, [at(2, 4)]), RangeError);
  assert.throws(() => applyReplacements(bytes, [at(2, 1)]), RangeError);
  assert.equal(applyReplacements(bytes, [at(2, 3), at(0, 0), at(0, 1)]).toString(), 'xxbx');
});
