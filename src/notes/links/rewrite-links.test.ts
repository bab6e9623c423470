import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import { rewriteLinks } from '../../../test/support/notes/rewrite-links.ts';
import { HeadingNames, renamedAnchor } from '../markdown/anchor.ts';
import { parseNote } from '../markdown/parse-note.ts';
import type { Link } from '../markdown/parsed-note.ts';
import { applyReplacements } from '../text/replacements.ts';
import type { LinkChange } from './rewrite-links.ts';

/** A plain way to resolve links, for the tests: as a path from the folder, from the root, by name. */
function resolveIn(files: readonly string[], from: string) {
  return ({ target }: Link) => {
    const ways = [posix.join(posix.dirname(from), target), target.replace(/^\//, '')];
    for (const way of ways) {
      const found = files.find((file) => file === way || file === `${way}.md`);
      if (found) return found;
    }
    return files.find((file) => [target, `${target}.md`].includes(posix.basename(file)));
  };
}

interface Move {
  /** The note whose links are mended, and where it goes. */
  readonly note: string;
  readonly to?: string;
  readonly files: readonly string[];
  readonly moves: Readonly<Record<string, string>>;
}

function mend(text: string, { note, to = note, files, moves }: Move): string {
  const after = files.map((file) => moves[file] ?? file);
  const change: LinkChange = {
    from: note,
    to,
    resolve: resolveIn(files, note),
    destination: (path) => (moves[path] === undefined ? undefined : { path: moves[path] }),
    isUnique: (path) =>
      after.filter((file) => posix.basename(file) === posix.basename(path)).length === 1,
    keepsOtherNames: true,
  };
  const parsed = parseNote(Buffer.from(text));
  return applyReplacements(parsed.bytes, rewriteLinks(parsed, change)).toString();
}

const FILES = ['foo.md', 'foobar.md', 'a/b.md', 'a/c.md', 'a/img.png', 'x y.md'];
const RENAME = { note: 'note.md', files: FILES, moves: { 'foo.md': 'bar.md' } };

const MENDED: [about: string, move: Move, before: string, after: string][] = [
  ['a wiki link with anchor and label', RENAME, '[[foo#h|a]]', '[[bar#h|a]]'],
  ['an embed', RENAME, '![[foo]] ![[foo#^b]]', '![[bar]] ![[bar#^b]]'],
  ['with its extension', RENAME, '[[foo.md]]', '[[bar.md]]'],
  ['in a table', RENAME, '| [[foo\\|a]] |\n| - |', '| [[bar\\|a]] |\n| - |'],
  ['a Markdown link with its title', RENAME, '[x](foo.md#h "t")', '[x](bar.md#h "t")'],
  ['without its extension', RENAME, '[x](foo)', '[x](bar)'],
  [
    'from the folder, and from the root',
    RENAME,
    '[x](./foo.md) [y](/foo.md)',
    '[x](./bar.md) [y](/bar.md)',
  ],
  [
    'in a list that is indented by a tab',
    RENAME,
    '# H\n\t- [[foo]]\n\t\t- [x](foo.md)\n\n\t1. ![[foo]]\n',
    '# H\n\t- [[bar]]\n\t\t- [x](bar.md)\n\n\t1. ![[bar]]\n',
  ],
  ['in angle brackets', RENAME, '[x](<foo.md>)', '[x](<bar.md>)'],
  ['a definition', RENAME, '[r]: foo.md "t"\n', '[r]: bar.md "t"\n'],
  ['in the frontmatter', RENAME, '---\nup: "[[foo|F]]"\n---\n', '---\nup: "[[bar|F]]"\n---\n'],
  [
    'characters by their names and numbers',
    { ...RENAME, files: ['ä&b.md'], moves: { 'ä&b.md': 'c&d.md' } },
    '[x](&#228;&amp;b.md#h&#228;) [y](<&auml;&b.md>) [z](&#228;&b.md&#35;h)',
    '[x](c&d.md#h&#228;) [y](<c&d.md>) [z](c&d.md#h)',
  ],
  [
    'a file whose name would read as such a character',
    { ...RENAME, moves: { 'foo.md': 'a&amp;b.md' } },
    '[x](foo.md) [[foo]]',
    '[x](a%26amp;b.md) [[a&amp;b]]',
  ],
  ['two in one line', RENAME, '[[foo]] and [x](foo.md)', '[[bar]] and [x](bar.md)'],
  [
    'encoded',
    { ...RENAME, moves: { 'x y.md': 'z/é w.md' } },
    '[a](x%20y.md) [b](<x y.md>) [[x y]]',
    '[a](z/é%20w.md) [b](<z/é w.md>) [[é w]]',
  ],
  [
    'in the frontmatter, with an escape and a letter of two bytes',
    { ...RENAME, files: ['é "q".md'], moves: { 'é "q".md': 'ü "q".md' } },
    '---\nup: "[[é \\"q\\"]]"\n---\n',
    '---\nup: "[[ü \\"q\\"]]"\n---\n',
  ],
  [
    'in a table, a name with a bar',
    { ...RENAME, moves: { 'foo.md': 'a|b.md' } },
    '| [x](foo.md) | [x](<foo.md>) | [[foo\\|l]] |\n| - | - | - |',
    '| [x](a%7Cb.md) | [x](<a%7Cb.md>) | [l](<a%7Cb.md>) |\n| - | - | - |',
  ],
  [
    'a name with a backtick beside code',
    { ...RENAME, moves: { 'foo.md': 'it`s.md' } },
    '---\nup: "[[foo]]"\n---\n[[foo]] [x](<foo.md>) `code`',
    '---\nup: "[[it`s]]"\n---\n[foo](<it%60s.md>) [x](<it%60s.md>) `code`',
  ],
  [
    'wholly encoded',
    { ...RENAME, files: ['é.md'], moves: { 'é.md': 'ü.md' } },
    '[a](%C3%A9.md)',
    '[a](%C3%BC.md)',
  ],
  [
    'to another folder by path',
    { ...RENAME, moves: { 'a/b.md': 'c/b.md' } },
    '[[a/b]] [x](a/b.md)',
    '[[c/b]] [x](c/b.md)',
  ],
  [
    'a name that is no longer one',
    { ...RENAME, moves: { 'foo.md': 'z/b.md' } },
    '[[foo]]',
    '[[z/b]]',
  ],
  [
    'quotes in the frontmatter',
    { ...RENAME, moves: { 'foo.md': 'a "b" it\'s.md' } },
    '---\na: "[[foo]]"\nb: \'[[foo]]\'\n---\n',
    '---\na: "[[a \\"b\\" it\'s]]"\nb: \'[[a "b" it\'\'s]]\'\n---\n',
  ],
  [
    'a name no wiki link can hold',
    { ...RENAME, moves: { 'foo.md': 'C# a.md' } },
    '[[foo#h|l]] ![[foo]]',
    '[l](<C%23 a.md#h>) ![foo](<C%23 a.md>)',
  ],
  [
    'a name with parentheses',
    { ...RENAME, moves: { 'foo.md': 'f (1).md' } },
    '[x](foo.md)',
    '[x](f%20%281%29.md)',
  ],
  [
    'a name with a colon',
    { ...RENAME, moves: { 'foo.md': 'a:b.md' } },
    '[x](foo.md)',
    '[x](./a:b.md)',
  ],
  [
    'the moved note’s own links',
    { note: 'a/b.md', to: 'b.md', files: FILES, moves: { 'a/b.md': 'b.md' } },
    '[[foo]] [x](c.md) ![i](img.png) [y](../foo.md) [z](#h) [[#h]] [s](b.md)',
    '[[foo]] [x](a/c.md) ![i](a/img.png) [y](foo.md) [z](#h) [[#h]] [s](b.md)',
  ],
  [
    'links between notes of a moved folder',
    {
      note: 'a/b.md',
      to: 'z/b.md',
      files: FILES,
      moves: { 'a/b.md': 'z/b.md', 'a/c.md': 'z/c.md', 'a/img.png': 'z/img.png' },
    },
    '[x](c.md) [[a/c]] ![](img.png) [y](../foo.md)',
    '[x](c.md) [[z/c]] ![](img.png) [y](../foo.md)',
  ],
];

test('links to a moved file are mended in the manner they are written', () => {
  for (const [about, move, before, after] of MENDED) assert.equal(mend(before, move), after, about);
});

const LEFT: string[] = [
  '[[foobar]] [[foobar#foo|foo]] [foo](foobar.md)',
  'foo (foo) foo.md [foo] [foo][x]',
  '`[[foo]]` ``[x](foo.md)``',
  '```\n[[foo]]\n```\n\n    [[foo]]\n',
  '# H\n\t[[foo]]\n\n    - [[foo]]\n',
  '<!-- [[foo]] [x](foo.md) -->',
  '<a href="foo.md">[x](https://x.test/foo.md)</a>',
  '\\[[foo]] [[foo',
  '[[nothing]] [x](nothing.md)',
  '---\nfoo: foo\n# [[foo]]\n---\n',
  '#foo [[#foo]] [x](#foo)',
];

test('other links, code, comments and prose are left alone', () => {
  for (const text of LEFT) assert.equal(mend(text, RENAME), text);
});

test('a link by title or alias goes on leading to a note that moved', () => {
  const note = parseNote(Buffer.from('[[The Title]] [[foo]]'));
  const change: LinkChange = {
    from: 'n.md',
    to: 'n.md',
    resolve: () => 'foo.md',
    destination: () => ({ path: 'bar.md' }),
    isUnique: () => true,
    keepsOtherNames: true,
  };
  const mended = (keepsOtherNames: boolean) =>
    applyReplacements(note.bytes, rewriteLinks(note, { ...change, keepsOtherNames })).toString();
  assert.equal(mended(true), '[[The Title]] [[bar]]');
  assert.equal(mended(false), '[[bar]] [[bar]]');
});

test('links to a renamed heading are mended, others stay', () => {
  const old = { text: 'Old name' };
  const text =
    '[[foo#Old name]] [[foo#Top#old name|x]] [x](foo.md#old-name) [[foo#Other]] [[#Old name]]';
  const note = parseNote(Buffer.from(text));
  const made = rewriteLinks(note, {
    from: 'n.md',
    to: 'n.md',
    resolve: () => 'foo.md',
    destination: (path, anchor) => {
      const renamed =
        anchor && path === 'foo.md'
          ? renamedAnchor(anchor, new HeadingNames([old]), old, 'New: #1')
          : undefined;
      return renamed === undefined ? undefined : { path, anchor: renamed };
    },
    isUnique: () => true,
    keepsOtherNames: true,
  });
  assert.equal(
    applyReplacements(note.bytes, made).toString(),
    '[[foo#New: 1]] [[foo#Top#New: 1|x]] [x](foo.md#new-1) [[foo#Other]] [[#Old name]]',
  );
});

test('a link that another file of the name would catch is spelt in full, and no other is', () => {
  const note = parseNote(
    Buffer.from('[[bar]] [[bar|b]] [x](x/bar.md) [y](bar.md) [[Title]] [[foo]]\n'),
  );
  const before: Record<string, string> = {
    bar: 'x/bar.md',
    'x/bar.md': 'x/bar.md',
    'bar.md': 'x/bar.md',
    Title: 'x/bar.md',
    foo: 'foo.md',
  };
  const rewritten = rewriteLinks(note, {
    from: 'n.md',
    to: 'n.md',
    resolve: ({ target }) => before[target],
    destination: (path) => (path === 'foo.md' ? { path: 'bar.md' } : undefined),
    isUnique: () => false,
    keepsOtherNames: true,
    leadsTo: (_, target) => (target.startsWith('x/') || target === 'Title' ? 'x/bar.md' : 'bar.md'),
  });
  assert.equal(
    applyReplacements(note.bytes, rewritten).toString(),
    '[[x/bar]] [[x/bar|b]] [x](x/bar.md) [y](x/bar.md) [[Title]] [[bar]]\n',
  );
});
