/** For random notes, an edit of a section changes bytes of the section and no heading around it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  arbitraryNote,
  assertOutsideKept,
  outline,
} from '../../../test/support/notes/arbitrary-note.ts';
import { attempt } from '../../../test/support/notes/attempt.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { parseNote } from '../markdown/parse-note.ts';
import { EditError } from '../text/edit-error.ts';
import { applyReplacements, type Replacement } from '../text/replacements.ts';
import { editSection, SECTION_MODES } from './edit-section.ts';

const RUNS = { numRuns: propertyRuns(1500) };

const content = fc.constantFrom(
  'x',
  '---',
  '===',
  '- [ ] x',
  '# X',
  '## X\n\ntext',
  '```\ncode\n```',
  '```\nunclosed',
  '> q',
  '| a |',
  'a\r\nb',
  '---\na: 1\n---',
  '<!-- x',
  '    code',
  '\n\nx\n\n',
  'Z\n===',
  '1. x',
  '  ## X\n\ntext',
  '---\n# x\n---',
);

/** A carriage return and a line feed of two lines must not come to be one line end. */
function assertNoneMelted(after: Buffer, made: readonly Replacement[]): void {
  let shift = 0;
  for (const { start, end, bytes } of made) {
    for (const at of [start + shift, start + shift + bytes.length]) {
      assert.notEqual(after.toString('latin1', at - 1, at + 1), '\r\n');
    }
    shift += bytes.length - (end - start);
  }
}

test('a section edit changes bytes of its section alone, and no other heading', () => {
  let made = 0;
  fc.assert(
    fc.property(
      arbitraryNote,
      fc.constantFrom(...SECTION_MODES),
      fc.nat(20),
      content,
      fc.nat(20),
      (bytes, mode, pick, text, target) => {
        const note = parseNote(bytes);
        const ofNote = mode.endsWith('_note');
        const heading = note.headings[pick % Math.max(1, note.headings.length)];
        if (!ofNote && !heading) return;
        const to = note.headings[target % Math.max(1, note.headings.length)];
        const result = attempt(editSection, note, {
          mode,
          ...(ofNote ? {} : { line: heading!.line }),
          content: text,
          ...(mode === 'rename_heading' && { to: 'New name' }),
          ...(mode === 'move_section' && { to: { line: to!.line } }),
        });
        if (result instanceof EditError) {
          assert.equal(result.code, 'invalid_arguments');
          return;
        }
        made++;
        const after = applyReplacements(bytes, result);
        assertNoneMelted(after, result);
        const edited = parseNote(after);
        const [own, others] = [outline(note), outline(edited)];
        const index = heading ? note.headings.indexOf(heading) : 0;
        const inside = heading
          ? note.headings.filter(({ start }) => start >= heading.start && start < heading.end)
              .length
          : 0;
        assert.equal(edited.frontmatter === undefined, note.frontmatter === undefined);
        switch (mode) {
          case 'append_to_note':
          case 'prepend_to_note': {
            const body = note.frontmatter?.end ?? (note.hasBom ? 3 : 0);
            const [{ start, end }] = result as [Replacement];
            assert.equal(start, end, 'nothing is taken out');
            assertOutsideKept(bytes, after, body, mode === 'prepend_to_note' ? body : bytes.length);
            break;
          }
          case 'insert_before_section':
            assertOutsideKept(bytes, after, heading!.start, heading!.start);
            break;
          case 'insert_after_section':
            assertOutsideKept(bytes, after, heading!.end, heading!.end);
            break;
          case 'append_to_section':
          case 'prepend_to_section': {
            const [{ start, end }] = result as [Replacement];
            assert.equal(start, end, 'nothing is taken out');
            assertOutsideKept(bytes, after, heading!.contentStart, heading!.end);
            break;
          }
          case 'replace_section':
            assertOutsideKept(bytes, after, heading!.start, heading!.end);
            break;
          case 'delete_section':
            assertOutsideKept(bytes, after, heading!.start, heading!.end);
            assert.deepEqual(others, own.toSpliced(index, inside));
            break;
          case 'rename_heading':
            assertOutsideKept(bytes, after, heading!.textStart, heading!.textEnd);
            assert.deepEqual(others, own.with(index, `${heading!.level} New name`));
            break;
          case 'move_section':
            assert.deepEqual(others.toSorted(), own.toSorted());
            break;
        }
        // Headings outside the section are there, in order, and the content added its own alone.
        if (mode !== 'move_section' && mode !== 'rename_heading') {
          const kept = mode === 'replace_section' ? own.toSpliced(index + 1, inside - 1) : own;
          const expected = mode === 'delete_section' ? own.toSpliced(index, inside) : kept;
          const added = outline(parseNote(Buffer.from(`.\n\n${text}`)));
          const extra = others.length - expected.length;
          assert.ok(extra === 0 || Math.abs(extra) <= added.length, `${expected} became ${others}`);
        }
      },
    ),
    RUNS,
  );
  assert.ok(made > RUNS.numRuns / 3, `${made} edits were made`);
});

test('appended text has the line ends of the note, save right after a lone carriage return', () => {
  fc.assert(
    fc.property(arbitraryNote, (bytes) => {
      const note = parseNote(bytes);
      const made = attempt(editSection, note, { mode: 'append_to_note', content: 'a\nb\r\nc' });
      if (made instanceof EditError) return;
      const [{ start, bytes: put }] = made as [Replacement];
      const after = note.latin1[start - 1] === '\r' ? /^\r(?!\n)/ : '';
      const inserted = put.toString().replace(after, '');
      assert.deepEqual(new Set(inserted.match(/\r\n|\n|\r/g)), new Set([note.eol]));
    }),
    RUNS,
  );
});
