/** Whatever the notes contain, the result of a write is under 20,000 characters. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notesBench } from '../support/notes/notes-tools.ts';
import { isLongRun } from '../support/property-runs.ts';

const LONG = 'x'.repeat(100_000);
/** Each of them takes ten characters of an answer at least. */
const MANY = Array.from({ length: isLongRun ? 5_000 : 2_500 }, (_, at) => at);
const FOLDER = `${'d'.repeat(200)}/`.repeat(4);

const ROWS: readonly (readonly [
  about: string,
  files: Readonly<Record<string, string>>,
  tool: string,
  args: object,
])[] = [
  [
    'many labels that both notes define',
    Object.fromEntries(
      ['a.md', 'b.md'].map((path) => [path, MANY.map((at) => `[label ${at}]: ${path}`).join('\n')]),
    ),
    'note_merge',
    { path: 'a', into: 'b' },
  ],
  [
    'many headings that both notes have, and links to them',
    {
      'a.md': MANY.map((at) => `## Heading ${at}\n`).join(''),
      'b.md': MANY.map((at) => `## Heading ${at}\n`).join(''),
      'c.md': MANY.map((at) => `[[a#Heading ${at}]]\n`).join(''),
    },
    'note_merge',
    { path: 'a', into: 'b' },
  ],
  [
    'long names of the notes that are made',
    {
      'a.md': MANY.slice(0, 100)
        .map((at) => `## ${'n'.repeat(150)} ${at}\n\nx\n`)
        .join(''),
    },
    'note_split',
    { path: 'a', level: 2, to: FOLDER },
  ],
  [
    'links that a move mends, with long anchors',
    {
      'a.md': 'x',
      'b.md': MANY.slice(0, 20)
        .map((at) => `[[a#${at}${LONG}]]\n`)
        .join(''),
    },
    'note_move',
    { path: 'a.md', to: 'c.md' },
  ],
  [
    'links that cannot be mended, with long anchors',
    { 'a.md': 'x', 'b.md': `---\nup: "[[a#${'y'.repeat(60_000)}]]"\n---\n` },
    'note_move',
    { path: 'a.md', to: 'c "d".md' },
  ],
  [
    'a difference of characters that JSON writes as six',
    { 'a.md': 'x' },
    'note_edit',
    { path: 'a', edits: [{ old_string: 'x', new_string: `${'\u0001'.repeat(80)}\n`.repeat(100) }] },
  ],
];

for (const [about, files, tool, args] of ROWS) {
  test(`${tool}: ${about}`, async (context) => {
    const bench = await notesBench(context, { files });
    const { isError, content } = await bench.answer(tool, args);
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    assert.notEqual(isError, true, text.slice(0, 300));
    assert.ok(text.length < 20_000, `${text.length}`);
    const result = JSON.parse(text);
    assert.match(result.change_id, /./);
    assert.equal(typeof result.path, 'string');
  });
}
