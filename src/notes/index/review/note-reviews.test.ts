import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryIndex } from '../../../../test/support/notes/index-fixture.ts';
import { vaultReview } from './vault-review.ts';

const stubs: [what: string, text: string, isOffered: boolean][] = [
  ['nothing', '', true],
  ['blank lines', '\n \t\r\n', true],
  ['a byte order mark', '\ufeff\n', true],
  ['a frontmatter', '---\nname: Ada Lovelace\nborn: 1815-12-10\n---\n', false],
  ['an empty task', '- [ ] \n', false],
  ['an emoji', '👍🎉\n', false],
  ['an embedded picture', '![](a.png)\n', false],
];

describe('a note is offered for deletion only where nothing is in it', () => {
  for (const [what, text, isOffered] of stubs) {
    test(what, () => {
      const { sql } = memoryIndex({ 'n.md': text });
      const [item] = vaultReview(sql, { only: ['stub'], nowMs: 0 }).items;
      assert.deepEqual(item?.fix?.tool, isOffered ? 'note_delete' : undefined);
      assert.equal(item?.detail === 'it is empty', isOffered);
    });
  }
});

test('a stub tells how many words it has', () => {
  const { sql } = memoryIndex({ 'a.md': 'one', 'b.md': 'one two' });
  const { items } = vaultReview(sql, { only: ['stub'], nowMs: 0 });
  assert.deepEqual(
    items.map(({ detail }) => detail),
    ['it has 1 word', 'it has 2 words'],
  );
});

const shown: [what: string, file: string, text: string, isOffered: boolean][] = [
  ['no note', 'b.png', 'text of b and png', true],
  ['a longer name', 'b.png', 'see ab.png', true],
  ['HTML', 'b.png', 'x\n\n<img src="attachments/b.png" width="300">\n', false],
  ['HTML in a heading', 'b.png', '# <img src="attachments/b.png">\n', false],
  ['a frontmatter', 'b.png', '---\ncover: attachments/b.png\n---\n\ntext\n', false],
  ['another case', 'B.PNG', 'see b.png\n', false],
  ['an encoded name', 'my pic (1).png', '<img src="attachments/my%20pic%20%281%29.png">', false],
  ['a half encoded name', 'my pic (1).png', '<img src="attachments/my%20pic%20(1).png">', false],
  ['an encoded accent', 'café.png', '<img src="attachments/caf%C3%A9.png">', false],
  ['an accent composed otherwise', 'cafe\u0301.png', '<img src="caf\u00e9.png">', false],
  ['a name escaped for HTML', 'a&b.png', '<img src="attachments/a&amp;b.png">', false],
];

describe('an attachment is offered for deletion only where no note says its name', () => {
  for (const [what, file, text, isOffered] of shown) {
    test(what, () => {
      const { sql } = memoryIndex({ 'n.md': text, [`attachments/${file}`]: 'x' });
      const [item] = vaultReview(sql, { only: ['unused_attachment'], nowMs: 0 }).items;
      assert.equal(item?.fix?.tool, isOffered ? 'note_delete' : undefined);
      assert.match(item!.detail, isOffered ? /^no note shows or links to it;/ : /says its name/);
    });
  }
});
