import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { arbitraryNote, outline } from '../../../test/support/notes/arbitrary-note.ts';
import { attempt } from '../../../test/support/notes/attempt.ts';
import { rewriteLinks } from '../../../test/support/notes/rewrite-links.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { parseNote } from '../markdown/parse-note.ts';
import { EditError } from '../text/edit-error.ts';
import { applyReplacements } from '../text/replacements.ts';
import { joinNotes, type MergeLinks, mergeChange, type PlacedNote } from './merge.ts';

const placed = (path: string, text: string) => ({ path, note: parseNote(Buffer.from(text)) });

function mergeNotes(source: PlacedNote, target: PlacedNote, links: MergeLinks) {
  const respelt = rewriteLinks(source.note, mergeChange(source.path, target.path, links));
  const note = parseNote(applyReplacements(source.note.bytes, respelt));
  return attempt(joinNotes, { path: source.path, note }, target);
}

function merge(source: string, target: string, sourcePath = 'a/src.md') {
  const [from, to] = [placed(sourcePath, source), placed('dst.md', target)];
  const merged = mergeNotes(from, to, {
    resolve: ({ target: name }) =>
      ({ src: 'a/src.md', 'x.png': 'a/x.png', other: 'other.md', dst: 'dst.md' })[name],
    isUnique: () => true,
  });
  assert.ok(!(merged instanceof EditError), merged instanceof EditError ? merged.message : '');
  const after = applyReplacements(to.note.bytes, merged.replacements).toString();
  return { after, warnings: merged.warnings };
}

const CASES: [about: string, source: string, target: string, after: string][] = [
  ['text goes below a heading of its name', 'text\n', '# T\n', '# T\n\n## src\n\ntext\n'],
  ['its own heading will do', '# S\ntext', '# T\n', '# T\n\n# S\ntext\n'],
  ['also after an empty line', '---\ntags:\n---\n\n# S\n', '# T\n', '# T\n\n# S\n'],
  [
    'a frontmatter takes its name',
    '# S',
    '---\nid: 1\n---\n',
    '---\nid: 1\naliases: [src]\n---\n# S\n',
  ],
  [
    'tags to carry need a frontmatter, which takes the name too',
    '---\ntags: [a]\n---\n# S\n',
    '# T\n',
    '---\ntags: [a]\naliases: [src]\n---\n# T\n\n# S\n',
  ],
  [
    'so do aliases',
    '---\naliases: [q]\n---\n# S\n',
    '# T\n',
    '---\naliases: [src, q]\n---\n# T\n\n# S\n',
  ],
  [
    'a frontmatter that has nothing to carry makes none',
    '---\ntitle: dst\ncreated: 2026-01-01\n---\n# S\n',
    '# T\n',
    '# T\n\n```yaml\ncreated: 2026-01-01\n```\n\n# S\n',
  ],
  [
    'frontmatter is joined',
    '---\ntitle: S\ntags: [a, b]\naliases: [q]\nnew: 1\n---\n# S\n',
    '---\n# keep\ntags: [a]\n---\n# T\n',
    '---\n# keep\ntags: [a, b]\nnew: 1\naliases: [src, S, q]\n---\n# T\n\n# S\n',
  ],
  [
    'what says something else is shown in the text, and so are dates',
    '---\nstatus: x\nsame: 1\ncreated: 2026-01-01\n---\n# S\n',
    '---\nstatus: y\nsame: 1\naliases: src\n---\n',
    '---\nstatus: y\nsame: 1\naliases: src\n---\n```yaml\nstatus: x\ncreated: 2026-01-01\n```\n\n# S\n',
  ],
  [
    'a title that is a number is another name',
    '---\ntitle: 2024\n---\n# S\n',
    '# T\n',
    '---\naliases: [src, "2024"]\n---\n# T\n\n# S\n',
  ],
  [
    'a title that can be no name is shown',
    '---\ntitle: [a]\n---\n# S\n',
    '# T\n',
    '# T\n\n```yaml\ntitle: [a]\n```\n\n# S\n',
  ],
  [
    'what can be no tag is shown',
    '---\ntags: [2024, two words, ok]\n---\n# S\n',
    '---\naliases: src\n---\n',
    '---\naliases: src\ntags: [two, ok]\n---\n```yaml\ntags: [2024, two words, ok]\n```\n\n# S\n',
  ],
  [
    'and so is a text of tags with more than tags in it',
    '---\ntags: "ok, a.b"\n---\n# S\n',
    '---\naliases: src\ntags: ok\n---\n',
    '---\naliases: src\ntags: [ok, a]\n---\n```yaml\ntags: "ok, a.b"\n```\n\n# S\n',
  ],
  [
    'and what can be no alias',
    '---\naliases: [x, true, 7]\n---\n# S\n',
    '---\naliases: [src]\n---\n',
    '---\naliases: [src, x, "7"]\n---\n```yaml\naliases: [x, true, 7]\n```\n\n# S\n',
  ],
  [
    'and a second list of tags or aliases',
    '---\ntags: [a]\ntag: b\naliases: [c]\nalias: d\n---\n# S\n',
    '---\naliases: [src]\n---\n',
    '---\naliases: [src, c]\ntags: [a]\n---\n```yaml\ntag: b\nalias: d\n```\n\n# S\n',
  ],
  [
    'frontmatter that cannot be read is shown whole',
    '---\na: [\n```\n---\n# S\n',
    '---\naliases: src\n---\n',
    '---\naliases: src\n---\n````yaml\na: [\n```\n````\n\n# S\n',
  ],
  [
    'links are mended for their new place, and to themselves',
    '# S\n[[src#S]] ![](x.png) [[other]] [[#S]]\n',
    '---\naliases: src\n---\n',
    '---\naliases: src\n---\n# S\n[[dst#S]] ![](a/x.png) [[other]] [[#S]]\n',
  ],
  [
    'line ends are those of the target',
    '# S\n\né\n',
    '---\r\naliases: src\r\n---\r\n# T\r\n',
    '---\r\naliases: src\r\n---\r\n# T\r\n\r\n# S\r\n\r\né\r\n',
  ],
  [
    'a text that the target has already is not put there twice',
    '---\nid: 1\n---\n\n# S\n\ntext\n',
    '# S\n\ntext',
    '---\nid: 1\naliases: [src]\n---\n# S\n\ntext',
  ],
  ['an empty note changes nothing where there is no frontmatter', '', '# T\n', '# T\n'],
  [
    'an unclosed fence is closed first',
    '# S',
    '---\nalias: src\n---\n```\na\n',
    '---\nalias: src\n---\n```\na\n```\n\n# S\n',
  ],
];

test('a merged note loses nothing', () => {
  for (const [about, source, target, after] of CASES) {
    assert.equal(merge(source, target).after, after, about);
  }
});

const WRITTEN: [about: string, source: string, target: string, after: string][] = [
  [
    'numbers',
    '---\nversion: 1.10\nphone: 0049301234\nbig: 12345678901234567890\nsize: 1e3\n---\n# S\n',
    '---\nx: 1\naliases: src\n---\n',
    '---\nx: 1\naliases: src\nversion: 1.10\nphone: 0049301234\nbig: 12345678901234567890\nsize: 1e3\n---\n# S\n',
  ],
  [
    'comments, above and beside',
    "---\n# where\nhex: 0x1F # why\nlist: # all\n  - 01 # one\n  - 'é'\ntext: | # long\n  a\n\n  b\n---\n# S\n",
    '---\r\naliases: src\r\n---\r\n',
    "---\r\naliases: src\r\n# where\r\nhex: 0x1F # why\r\nlist: # all\r\n  - 01 # one\r\n  - 'é'\r\ntext: | # long\r\n  a\r\n\r\n  b\r\n---\r\n# S\r\n",
  ],
  [
    'in lines that are indented otherwise',
    '---\na:\n- 1.0\nb: 1.0\n---\n# S\n',
    '---\n  aliases: src\n---\n',
    '---\n  aliases: src\n  a:\n  - 1.0\n  b: 1.0\n---\n# S\n',
  ],
  [
    'names that look like numbers',
    '---\ntitle: 1.10\naliases: [007, "08"]\n---\n# S\n',
    '# T\n',
    '---\naliases: [src, "1.10", "007", "08"]\n---\n# T\n\n# S\n',
  ],
  [
    'what the target has, written otherwise',
    '---\nversion: 1.10 # why\nsame: "1"\n---\n# S\n',
    "---\nversion: 1.1\nsame: '1'\naliases: src\n---\n",
    "---\nversion: 1.1\nsame: '1'\naliases: src\n---\n```yaml\nversion: 1.10 # why\n```\n\n# S\n",
  ],
  [
    'what refers to another value is spelt out',
    '---\nx: &a 1\nb: *a\n---\n# S\n',
    '---\nx: 2\naliases: src\n---\n',
    '---\nx: 2\naliases: src\nb: 1\n---\n```yaml\nx: &a 1\n```\n\n# S\n',
  ],
];

test('a key that no line can be found for is carried, too', () => {
  const { after } = merge('---\n~: 1\n"__proto__": 2\n---\n# S\n', '---\naliases: src\n---\n');
  assert.equal(after, '---\naliases: src\n"": 1\n---\n```yaml\n"__proto__": 2\n```\n\n# S\n');
});

test('keys are carried as they are written, not as they are read', () => {
  for (const [about, source, target, after] of WRITTEN) {
    assert.equal(merge(source, target).after, after, about);
  }
});

test('a frontmatter that is not UTF-8 is shown byte for byte', () => {
  const source = Buffer.from('---\nname: Caf\xe9 \xc3\xa0\n---\n# S\n', 'latin1');
  const target = placed('dst.md', '# T\n');
  const merged = attempt(joinNotes, { path: 'src.md', note: parseNote(source) }, target);
  assert.ok(!(merged instanceof EditError));
  const after = applyReplacements(target.note.bytes, merged.replacements).toString('latin1');
  assert.equal(after, '# T\n\n```yaml\nname: Caf\xe9 \xc3\xa0\n```\n\n# S\n');
});

test('a heading that would become part of a list is refused', () => {
  const links = { resolve: () => undefined, isUnique: () => true };
  const merged = mergeNotes(placed('s.md', '  ## S\n\ntext\n'), placed('t.md', '- item\n'), links);
  assert.ok(merged instanceof EditError);
  assert.match(merged.message, /^a heading would become part of the list before it/);
});

test('for random notes a merge keeps every heading of both', () => {
  fc.assert(
    fc.property(arbitraryNote, arbitraryNote, (one, other) => {
      const [from, to] = [one, other].map((bytes, at) => ({
        path: `${at}.md`,
        note: parseNote(bytes),
      }));
      const merged = attempt(joinNotes, from!, to!);
      if (merged instanceof EditError) return;
      const after = outline(parseNote(applyReplacements(other, merged.replacements)));
      const [moved, own] = [outline(from!.note), outline(to!.note)];
      assert.deepEqual(after.slice(0, own.length), own);
      const added = after.slice(own.length).filter((heading) => heading !== '2 0');
      assert.ok(added.length === 0 || isDeepStrictEqual(added, moved));
    }),
    { numRuns: propertyRuns(1000) },
  );
});

test('labels that both notes define are warned of', () => {
  const { warnings } = merge('# S\n[^1]: a\n\n[x]: b\n', '# T\n[^1]: c\n');
  assert.deepEqual(warnings, ['both notes define [^1]; check the links that use it']);
});

test('a target whose frontmatter cannot be read is left alone', () => {
  const merged = mergeNotes(placed('s.md', 'x'), placed('t.md', '---\na: [\n---\n'), {
    resolve: () => undefined,
    isUnique: () => true,
  });
  assert.ok(merged instanceof EditError);
  assert.equal(merged.code, 'frontmatter_invalid');
});
