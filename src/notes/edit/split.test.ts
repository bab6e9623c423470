import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { arbitraryNote } from '../../../test/support/notes/arbitrary-note.ts';
import { attempt } from '../../../test/support/notes/attempt.ts';
import { rewriteLinks } from '../../../test/support/notes/rewrite-links.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { findHeading, type HeadingAddress } from '../markdown/find-heading.ts';
import { parseNote } from '../markdown/parse-note.ts';
import { EditError } from '../text/edit-error.ts';
import { applyReplacements } from '../text/replacements.ts';
import type { PlacedNote } from './merge.ts';
import { cutSection, type SplitLinks, splitChange, splitDestination } from './split.ts';

const links = {
  resolve: ({ target }: { target: string }) =>
    ({ src: 'a/src.md', 'x.png': 'a/x.png', other: 'other.md' })[target],
  isUnique: () => true,
};

function splitNote(source: PlacedNote, address: HeadingAddress, to: string, links: SplitLinks) {
  const { path, note } = source;
  const section = attempt(findHeading, note, address);
  if (section instanceof EditError) return section;
  const destination = splitDestination(note, section, path, to);
  const spelt = (place: string) => rewriteLinks(note, splitChange(path, place, destination, links));
  const made = attempt(cutSection, source, {
    line: section.line,
    to,
    isUnique: links.isUnique(to),
    staying: spelt(path),
    leaving: spelt(to),
  });
  return made instanceof EditError ? made : { ...made, destination };
}

function split(text: string, heading: string, to: string) {
  const note = parseNote(Buffer.from(text));
  const made = splitNote({ path: 'a/src.md', note }, { heading }, to, links);
  assert.ok(!(made instanceof EditError), made instanceof EditError ? made.message : '');
  return {
    rest: applyReplacements(note.bytes, made.replacements).toString(),
    created: made.created.toString(),
    destination: made.destination,
  };
}

const CASES: [about: string, text: string, to: string, rest: string, created: string][] = [
  [
    'a link replaces it',
    '# A\na\n\n## B\nb\n\n# C\n',
    'a/B.md',
    '# A\na\n\n[[B]]\n\n# C\n',
    '## B\nb\n',
  ],
  ['with the heading as label', '# A\n## B\nb', 'new.md', '# A\n\n[[new|B]]\n', '## B\nb\n'],
  [
    'sections below it go along',
    '# B\n## B1\nx\n# C\n',
    'B.md',
    '[[B]]\n\n# C\n',
    '# B\n## B1\nx\n',
  ],
  [
    'relative links are mended',
    '# B\n![](x.png) [[other]]\n',
    'B.md',
    '[[B]]\n',
    '# B\n![](a/x.png) [[other]]\n',
  ],
  [
    'links between the two are mended',
    '# A\n[[#B]] [[src#B1|x]] [[src#A]] [[#^id]]\n# B\n[[#A]] [[#B1]] [[src#A]]\n\ntext ^id\n## B1\n',
    'B.md',
    '# A\n[[B#B]] [[B#B1|x]] [[src#A]] [[B#^id]]\n\n[[B]]\n',
    '# B\n[[src#A]] [[#B1]] [[src#A]]\n\ntext ^id\n## B1\n',
  ],
  [
    'definitions go where they are used',
    '# A\n[x][l] a[^2]\n\n[k]: /k\n# B\n[y][k]\n\n[l]: /l\n[^2]: note\n',
    'B.md',
    '# A\n[x][l] a[^2]\n\n[k]: /k\n\n[[B]]\n\n[l]: /l\n\n[^2]: note\n',
    '# B\n[y][k]\n\n[l]: /l\n[^2]: note\n\n[k]: /k\n',
  ],
  [
    'a definition that is copied leads where it led',
    '# A\n[i]\n\n[i]: x.png\n# B\n[i]\n',
    'B.md',
    '# A\n[i]\n\n[i]: x.png\n\n[[B]]\n',
    '# B\n[i]\n\n[i]: a/x.png\n',
  ],
  [
    'definitions that are copied are no part of each other',
    '# A\n\n[^1]: the source says so\n\n[i]: x.png\n# B\n[i] a[^1]\n',
    'B.md',
    '# A\n\n[^1]: the source says so\n\n[i]: x.png\n\n[[B]]\n',
    '# B\n[i] a[^1]\n\n[^1]: the source says so\n\n[i]: a/x.png\n',
  ],
  [
    'a definition that a fence shows is none',
    '# A\n\n[i]: x.png\n# B\n[i]\n\n```\n[i]: y.png\n```\n',
    'B.md',
    '# A\n\n[i]: x.png\n\n[[B]]\n',
    '# B\n[i]\n\n```\n[i]: y.png\n```\n\n[i]: a/x.png\n',
  ],
  [
    'a definition of two lines is copied whole',
    '# A\n\n[i]:\nx.png\n"title"\n# B\n[i]\n',
    'B.md',
    '# A\n\n[i]:\nx.png\n"title"\n\n[[B]]\n',
    '# B\n[i]\n\n[i]:\na/x.png\n"title"\n',
  ],
  [
    'a footnote of several paragraphs is copied whole',
    '# A\n\n[^1]: one\ngoes on\n\n    two\n\n\tthree\n[^2]: x\n\nend\n# B\na[^1] [^2]\n',
    'B.md',
    '# A\n\n[^1]: one\ngoes on\n\n    two\n\n\tthree\n[^2]: x\n\nend\n\n[[B]]\n',
    '# B\na[^1] [^2]\n\n[^1]: one\ngoes on\n\n    two\n\n\tthree\n\n[^2]: x\n',
  ],
  [
    'of two definitions of a label the first counts, for what leaves',
    '# A\n\n[i]: x.png\n# B\n[i] [j]\n\n[i]: y.png\n[j]: j\n',
    'B.md',
    '# A\n\n[i]: x.png\n\n[[B]]\n',
    '# B\n[i] [j]\n\n[i]: a/x.png\n\n[i]: y.png\n[j]: j\n',
  ],
  [
    'and for what stays',
    '# B\n\n[i]: x.png\n# C\n[i]\n\n[i]: y.png\n',
    'B.md',
    '[[B]]\n\n# C\n[i]\n\n[i]: x.png\n\n[i]: y.png\n',
    '# B\n\n[i]: a/x.png\n',
  ],
  [
    'a second definition that nothing uses, or that says the same, brings none along',
    '# A\n\n[i]: x.png\n[j]: j\n# B\n[i]\n\n[i]: x.png\n[j]: k\n',
    'B.md',
    '# A\n\n[i]: x.png\n[j]: j\n\n[[B]]\n',
    '# B\n[i]\n\n[i]: a/x.png\n[j]: k\n',
  ],
  [
    'a definition goes after a lone return as after another line end',
    '# A\n\n[i]: u\n\n# B\n\n[i]\r',
    'B.md',
    '# A\n\n[i]: u\n\n[[B]]\n',
    '# B\n\n[i]\r\r[i]: u\n',
  ],
  ['a name no wiki link can hold', '# B\n', 'a/C#.md', '[B](<C%23.md>)\n', '# B\n'],
  ['a lone return stays', 'x\n\npara\r# B\nb\n', 'B.md', 'x\n\npara\r\r[[B]]\n', '# B\nb\n'],
  ['CRLF stays', '# A\r\n# B\r\nb\r\n', 'B.md', '# A\r\n\r\n[[B]]\r\n', '# B\r\nb\r\n'],
];

test('a section becomes a note and nothing is lost', () => {
  for (const [about, text, to, rest, created] of CASES) {
    const made = split(text, 'B', to);
    assert.equal(made.rest, rest, about);
    assert.equal(made.created, created, about);
  }
});

test('links of other notes to what left are known', () => {
  const { destination } = split('# A\n# B\n## B 1\n', 'B', 'B.md');
  assert.deepEqual(destination('a/src.md', 'B'), { path: 'B.md' });
  assert.deepEqual(destination('a/src.md', 'b-1'), { path: 'B.md' });
  assert.equal(destination('a/src.md', 'A'), undefined);
  assert.equal(destination('a/src.md', undefined), undefined);
  assert.equal(destination('other.md', 'B'), undefined);
});

test('for random notes the section is in the new note and the rest where it was', () => {
  fc.assert(
    fc.property(arbitraryNote, fc.nat(20), (bytes, pick) => {
      const note = parseNote(bytes);
      const section = note.headings[pick % Math.max(1, note.headings.length)];
      if (!section) return;
      const made = splitNote({ path: 'a/src.md', note }, { line: section.line }, 'a/new.md', {
        resolve: () => undefined,
        isUnique: () => true,
      });
      if (made instanceof EditError) return;
      const rest = applyReplacements(bytes, made.replacements);
      assert.ok(rest.subarray(0, section.start).equals(bytes.subarray(0, section.start)));
      assert.ok(rest.includes(bytes.subarray(section.end)));
      const text = bytes.toString('latin1', section.start, section.end).replace(/[ \t\r\n]+$/, '');
      assert.ok(made.created.toString('latin1').startsWith(text));
    }),
    { numRuns: propertyRuns(1000) },
  );
});
