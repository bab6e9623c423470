import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { arbitraryNote, outline } from '../../../test/support/notes/arbitrary-note.ts';
import { attempt } from '../../../test/support/notes/attempt.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { parseNote } from '../markdown/parse-note.ts';
import { EditError } from '../text/edit-error.ts';
import { applyReplacements } from '../text/replacements.ts';
import { moveToNote } from './move-to-note.ts';

test('for random notes the section is in the other note, and every other heading where it was', () => {
  let made = 0;
  fc.assert(
    fc.property(
      arbitraryNote,
      arbitraryNote,
      fc.nat(20),
      fc.option(fc.tuple(fc.nat(20), fc.constantFrom('before', 'after')), { nil: undefined }),
      (from, to, pick, place) => {
        const [source, target] = [parseNote(from), parseNote(to)];
        const section = source.headings[pick % Math.max(1, source.headings.length)];
        if (section === undefined) return;
        const beside = place && target.headings[place[0] % Math.max(1, target.headings.length)];
        const where = beside && place ? { line: beside.line, position: place[1] } : {};
        const moved = attempt(moveToNote, source, { line: section.line }, target, where);
        if (moved instanceof EditError) {
          assert.equal(moved.code, 'invalid_arguments');
          return;
        }
        made++;
        const left = parseNote(applyReplacements(from, moved.taken));
        const there = parseNote(applyReplacements(to, moved.put));
        const inside = source.headings.filter(
          ({ start }) => start >= section.start && start < section.end,
        );
        const headings = inside.map(({ level, text }) => `${level} ${text}`);
        const index = source.headings.indexOf(section);
        assert.deepEqual(outline(left), outline(source).toSpliced(index, inside.length));
        assert.deepEqual(outline(there).toSorted(), [...outline(target), ...headings].toSorted());
        // Definitions that the rest uses may stand after it.
        const before = from.subarray(0, section.start);
        assert.ok(left.bytes.subarray(0, section.start).equals(before), 'the bytes before stay');
        assert.ok(left.bytes.includes(from.subarray(section.end)), 'the bytes after stay');
        assert.equal(there.frontmatter?.innerEnd, target.frontmatter?.innerEnd);
      },
    ),
    { numRuns: propertyRuns(3000) },
  );
  assert.ok(made > propertyRuns(300), String(made));
});

test('the section takes the line ends of its new note and keeps bytes that are no text', () => {
  const source = parseNote(Buffer.from('# A\n\n## S\n\nx\xff\ny\n', 'latin1'));
  const target = parseNote(Buffer.from('# B\r\n'));
  const moved = attempt(moveToNote, source, { heading: 'S' }, target, {});
  assert.ok(!(moved instanceof EditError));
  assert.equal(applyReplacements(source.bytes, moved.taken).toString(), '# A\n\n');
  const there = applyReplacements(target.bytes, moved.put).toString('latin1');
  assert.equal(there, '# B\r\n\r\n## S\r\n\r\nx\xff\r\ny\r\n');
});

test('a section whose going would put the next heading into a list stays', () => {
  const source = parseNote(Buffer.from('- item\n\n# A\n\ntext\n\n   # B\n'));
  const moved = attempt(moveToNote, source, { heading: 'A' }, parseNote(Buffer.from('# C\n')), {});
  assert.ok(moved instanceof EditError);
  assert.equal(moved.code, 'invalid_arguments');
});

test('a heading that would go into a list is not made up for by one in an item', () => {
  const source = parseNote(Buffer.from('   ## A\n- # in an item\n\n  more\n'));
  const target = parseNote(Buffer.from('- one\n- two\n  - three\n'));
  const moved = attempt(moveToNote, source, { heading: 'A' }, target, {});
  assert.ok(moved instanceof EditError);
  assert.match(moved.message, /remove the spaces before its marks/);
});

const NEEDED: [about: string, source: string, target: string, rest: string, filled: string][] = [
  [
    'a definition that both need is in both',
    '# A\n[^1]\n\n# S\n[^1]\n\n[^1]: x\n',
    '# T\n',
    '# A\n[^1]\n\n[^1]: x\n',
    '# T\n\n# S\n[^1]\n\n[^1]: x\n',
  ],
  [
    'one that the target has already is not put there twice',
    '[^1]: x\n\n# S\n[^1]\n',
    '[^1]: x\n',
    '[^1]: x\n\n',
    '[^1]: x\n\n# S\n[^1]\n',
  ],
  [
    'one that nobody needs is left where it is',
    '[k]: y\n\n# S\n[^1]\n',
    '# T\n',
    '[k]: y\n\n',
    '# T\n\n# S\n[^1]\n',
  ],
  [
    'a footnote ends before a heading right below it',
    '# S\n\n[^1]: x\n# A\n\ny[^1]\n',
    '# T\n',
    '# A\n\ny[^1]\n\n[^1]: x\n',
    '# T\n\n# S\n\n[^1]: x\n',
  ],
  [
    'one comes after a fence that is never closed, in the line ends of its note',
    '[k]: <https://y.example>\n\n# S\n[k]\n```\ncode\n',
    '# T\r\n',
    '[k]: <https://y.example>\n\n',
    '# T\r\n\r\n# S\r\n[k]\r\n```\r\ncode\r\n```\r\n\r\n[k]: <https://y.example>\r\n',
  ],
];

test('definitions are where they are needed after a move', () => {
  for (const [about, from, to, rest, filled] of NEEDED) {
    const [source, target] = [parseNote(Buffer.from(from)), parseNote(Buffer.from(to))];
    const moved = attempt(moveToNote, source, { heading: 'S' }, target, {});
    assert.ok(!(moved instanceof EditError), about);
    assert.equal(applyReplacements(source.bytes, moved.taken).toString(), rest, about);
    assert.equal(applyReplacements(target.bytes, moved.put).toString(), filled, about);
  }
});
