import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNote } from './parse-note.ts';

const ROWS: [about: string, text: string, data: object | undefined, rest?: object][] = [
  [
    'a page of Logseq',
    'title:: A, b\nalias:: Other name, [[term/x]]\ntags:: one, #two, [[three]], [[not one]]\nrating:: 4\n\n- text\n',
    {
      title: 'A, b',
      alias: ['Other name', 'term/x'],
      tags: ['one', 'two', 'three', 'not one'],
      rating: 4,
    },
    { aliases: ['Other name', 'term/x'], tags: ['one', 'two', 'three'] },
  ],
  [
    'a first bullet',
    '- type:: [[Book]]\n  alias:: Ä\n- x',
    { type: 'Book', alias: ['Ä'] },
    { aliases: ['Ä'] },
  ],
  ['an empty value', 'public::\nx', { public: '' }],
  ['CRLF', 'a:: b\r\nc:: d\r\n', { a: 'b', c: 'd' }],
  ['a link is no key', '[[a]]:: b\n', undefined],
  ['code is none', '`std::vec` is\n', undefined],
  ['C++ is none', 'std::vector v\n', undefined],
  ['an address is none', 'https://a.example/::b\n', undefined],
  ['text first', 'text\na:: b\n', undefined],
  ['with frontmatter', '---\na: 1\n---\nb:: c\n', undefined],
];

for (const [about, text, data, rest = {}] of ROWS) {
  test(`properties in the text: ${about}`, () => {
    const note = parseNote(Buffer.from(text));
    assert.deepEqual(note.pageProperties, data);
    for (const { start, end, name } of note.tags) {
      assert.equal(note.bytes.toString('utf8', start, end), name);
    }
    const { aliases, tags } = { aliases: [], tags: [], ...rest };
    assert.deepEqual(note.aliases, aliases);
    assert.deepEqual([...new Set(note.tags.map(({ name }) => name))].sort(), [...tags].sort());
  });
}

test('a value that ends in a character with a byte like a space is read whole', () => {
  const { aliases, tags } = parseNote(Buffer.from('alias:: città, x\ntags:: città\n'));
  assert.deepEqual(aliases, ['città', 'x']);
  assert.deepEqual(
    tags.map(({ name }) => name),
    ['città'],
  );
});
