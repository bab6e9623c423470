import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Candidate, fileNames, nameKey, resolveLink } from './link-names.ts';

/** Files with the aliases and titles they have. */
const files: [path: string, aliases: string[], title: string, addresses?: string[]][] = [
  ['foo.md', [], 'Foo'],
  ['a/foo.md', [], 'Foo in a'],
  ['a/bar.md', ['Quux'], 'The bar'],
  ['b/bar.md', [], 'Another bar'],
  ['b/deep/only.md', [], 'Only one'],
  ['a/Case.md', [], 'Case'],
  ['a/case.md', [], 'case'],
  ['attachments/pic.png', [], ''],
  ['v1.2.md', [], 'Version'],
  ['pages/term___deep___name.md', [], ''],
  ['pages/old%2Fway.md', [], ''],
  ['pages/What%3F.md', [], ''],
  ['pages/block.md', ['term/Block', '/Moved/Here/'], 'Block'],
  ['journals/2026_11_05.md', [], ''],
  ['content/en/docs/setup/_index.md', [], 'Set up'],
  ['content/en/docs/setup/tools.md', [], 'Tools'],
  ['content/de/docs/setup/tools.md', [], 'Werkzeuge'],
  ['static/images/flow.png', [], ''],
  ['files/en-us/web/css/_colon_hover/index.md', [], ':hover', ['Web/CSS/:hover']],
  ['private/notes/alone.md', [], ''],
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
  // Namespaces, names and journals of Logseq.
  ['pages/x.md', 'wiki', 'term/deep/name', 'pages/term___deep___name.md'],
  ['pages/x.md', 'wiki', 'term___deep___name', 'pages/term___deep___name.md'],
  ['pages/x.md', 'wiki', 'deep/name', undefined],
  ['pages/x.md', 'wiki', 'name', undefined],
  ['pages/x.md', 'wiki', 'Old/Way', 'pages/old%2Fway.md'],
  ['pages/x.md', 'wiki', 'What?', 'pages/What%3F.md'],
  ['pages/x.md', 'wiki', 'term/block', 'pages/block.md'],
  ['pages/x.md', 'wiki', 'other/block', undefined],
  ['pages/x.md', 'wiki', 'Nov 5th, 2026', 'journals/2026_11_05.md'],
  // Addresses of web sites.
  ['x.md', 'markdown', '/docs/setup/', 'content/en/docs/setup/_index.md'],
  ['x.md', 'markdown', '/docs/setup/tools/', 'content/en/docs/setup/tools.md'],
  ['x.md', 'markdown', '/docs/setup/tools', 'content/en/docs/setup/tools.md'],
  ['x.md', 'markdown', '/docs/setup/tools/?all=true', 'content/en/docs/setup/tools.md'],
  ['content/de/x.md', 'markdown', '/docs/setup/tools/', 'content/de/docs/setup/tools.md'],
  ['x.md', 'markdown', '/de/docs/setup/tools', 'content/de/docs/setup/tools.md'],
  ['x.md', 'image', '/images/flow.png', 'static/images/flow.png'],
  ['x.md', 'markdown', '/en-US/docs/Web/CSS/:hover', 'files/en-us/web/css/_colon_hover/index.md'],
  ['x.md', 'markdown', '/moved/here', 'pages/block.md'],
  ['x.md', 'markdown', '/alone', undefined],
  ['x.md', 'markdown', '/docs/nothing/', undefined],
  ['x.md', 'wiki', '/docs/setup/tools', undefined],
  ['content/en/docs/setup/tools.md', 'markdown', '../setup/', 'content/en/docs/setup/_index.md'],
  ['content/en/docs/x.md', 'markdown', 'setup', 'content/en/docs/setup/_index.md'],
];

describe('what a link leads to', () => {
  const known = files.flatMap(([path, aliases, title, addresses = []], file) =>
    fileNames(path, { title, aliases, addresses }).map((name) => ({ ...name, file, path })),
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
