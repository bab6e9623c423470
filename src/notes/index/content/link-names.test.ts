import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Candidate, fileNames, nameKey, resolveLink } from './link-names.ts';

/** Files with the aliases and titles they have. */
const files: [path: string, aliases: string[], title: string][] = [
  ['foo.md', [], 'Foo'],
  ['a/foo.md', [], 'Foo in a'],
  ['a/bar.md', ['Quux'], 'The bar'],
  ['b/bar.md', [], 'Another bar'],
  ['b/deep/only.md', [], 'Only one'],
  ['a/Case.md', [], 'Case'],
  ['a/case.md', [], 'case'],
  ['attachments/pic.png', [], ''],
  ['v1.2.md', [], 'Version'],
];

const rows: [
  source: string,
  kind: string,
  target: string,
  to: string | undefined,
  ambiguous?: true,
][] = [
  ['x.md', 'wiki', 'foo', 'foo.md'],
  ['x.md', 'wiki', 'FOO', 'foo.md'],
  ['a/x.md', 'wiki', 'foo', 'foo.md'],
  ['x.md', 'wiki', 'a/foo', 'a/foo.md'],
  ['x.md', 'wiki', 'a/foo.md', 'a/foo.md'],
  ['x.md', 'wiki', 'foobar', undefined],
  ['b/x.md', 'wiki', 'bar', 'b/bar.md', true],
  ['x.md', 'wiki', 'bar', 'a/bar.md', true],
  ['x.md', 'wiki', 'deep/only', 'b/deep/only.md'],
  ['x.md', 'wiki', 'eep/only', undefined],
  ['x.md', 'wiki', 'quux', 'a/bar.md'],
  ['x.md', 'wiki', 'only one', 'b/deep/only.md'],
  ['x.md', 'wiki', 'Case', 'a/Case.md', true],
  ['x.md', 'wiki', 'a/case', 'a/case.md'],
  ['x.md', 'wiki', 'v1.2', 'v1.2.md'],
  ['x.md', 'embed', 'pic.png', 'attachments/pic.png'],
  ['a/x.md', 'markdown', 'foo.md', 'a/foo.md'],
  ['a/x.md', 'markdown', '../foo.md', 'foo.md'],
  ['a/x.md', 'markdown', '/foo.md', 'foo.md'],
  ['a/x.md', 'markdown', './only.md', undefined],
  ['a/x.md', 'markdown', '../../foo.md', undefined],
  ['b/deep/x.md', 'image', '../../attachments/pic.png', 'attachments/pic.png'],
];

describe('what a link leads to', () => {
  const known = files.flatMap(([path, aliases, title], file) =>
    fileNames(path, title, aliases).map((name) => ({ ...name, file, path })),
  );
  for (const [source, kind, target, to, ambiguous] of rows) {
    test(`${kind} "${target}" in ${source} leads to ${to ?? 'nothing'}`, () => {
      const candidates: Candidate[] = known.filter(({ key }) => key === nameKey(target));
      const found = resolveLink({ kind, target, source }, candidates);
      assert.equal(found && files[found.file]?.[0], to);
      assert.equal(found?.ambiguous ?? false, ambiguous ?? false);
    });
  }

  test('the order in which files are known does not matter', () => {
    const candidates = known.filter(({ key }) => key === 'bar');
    const link = { kind: 'wiki', target: 'bar', source: 'x.md' };
    assert.deepEqual(resolveLink(link, candidates), resolveLink(link, candidates.toReversed()));
  });
});
