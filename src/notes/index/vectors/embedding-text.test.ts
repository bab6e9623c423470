import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sectionText } from './embedding-text.ts';

const section = (text: string, headings: readonly string[] = ['Cats'], id = 1) =>
  sectionText('Cats', { id, heading_path: JSON.stringify(headings), body_start: 0, text });

const LEFT_OUT: readonly (readonly [what: string, text: string])[] = [
  ['a code block', 'They purr.\n\n```ts\nconst cat = 1;\n```\n'],
  ['a code block without an end', 'They purr.\n\n~~~\nconst cat = 1;\n'],
  ['a badge', '[![build status](https://a.example/b.svg)][ci] They purr.'],
  ['an image', '![a cat](cat.png)\n\nThey purr.'],
  ['an address', 'They [purr](https://a.example/purr "about").'],
  ['a definition of a link', 'They [purr][1].\n\n[1]: https://a.example'],
  ['HTML and its comments', '<p class="x">They <!-- always --> purr.</p>'],
  ['an import of a component', 'import Cat from "/snippets/cat.mdx";\n\nThey purr.'],
  ['the rule of a table', '| They |\n|------|\n| purr. |'],
];
for (const [what, text] of LEFT_OUT) {
  test(`${what} is not embedded`, () => {
    assert.equal(section(text).replace(' .', '.'), 'Cats. They purr.');
  });
}

test('of frontmatter only what describes the note is embedded', () => {
  const frontmatter =
    '---\ntitle: Cats\nmode: center\ndescription: "They purr"\ntags: [pet]\n---\n';
  assert.equal(section(frontmatter, [], 0), 'Cats. They purr. pet');
  assert.equal(section('---\nmode: center\n---\n', [], 0), 'Cats');
});

test('a rule between paragraphs is no frontmatter', () => {
  assert.equal(section('---\n\nThey purr.', []), 'Cats. They purr.');
  assert.equal(section('---\n\nThey purr.', [], 0), 'Cats. They purr.');
});

test('a section of code alone is known by its headings, a note of code alone by the code', () => {
  assert.equal(section('```\npurr()\n```', ['Cats', '`purr`']), 'Cats: purr');
  assert.equal(section('```\npurr()\n```', []), 'Cats. purr()');
  assert.equal(section(' \n', []), '');
});

test('hostile text takes time that grows with its length', () => {
  const texts = ['[', '![', '```\n', ' \n', '|-', '<a ', '](', '<!--', 'import "'];
  for (const sign of texts) assert.ok(section(sign.repeat(200_000)).length <= 600);
});
