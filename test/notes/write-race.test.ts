/** Writes at one time: none is lost, and none overwrites what somebody else wrote. */
import assert from 'node:assert/strict';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { notesBench } from '../support/notes/notes-tools.ts';

const SIXTY_FOUR = Array.from({ length: 64 }, (_, index) => index);

for (const [tool, args, path] of [
  ['note_section_edit', { path: 'a', mode: 'append_to_note' }, 'a.md'],
  [
    'note_section_edit',
    { path: 'a', mode: 'append_to_section', heading: 'S', create: true },
    'a.md',
  ],
  ['note_capture', {}, 'inbox.md'],
  ['note_capture', { to: 'daily', date: '2026-11-15' }, 'daily/2026-11-15.md'],
] as const) {
  test(`64 parallel ${tool} ${JSON.stringify(args)} give 64 lines`, async (context) => {
    const bench = await notesBench(context, { files: { 'a.md': '# A\n' } });
    const entry = (index: number) => ({
      [tool === 'note_capture' ? 'text' : 'content']: `- line ${index}`,
    });
    await Promise.all(SIXTY_FOUR.map((index) => bench.call(tool, { ...args, ...entry(index) })));
    const lines = (await bench.text(path)).split('\n').filter((line) => line.startsWith('- line'));
    assert.deepEqual(
      lines.map((line) => Number(line.slice(7))).sort((a, b) => a - b),
      SIXTY_FOUR,
    );
    assert.equal((await bench.text(path)).match(/^## S$/gm)?.length ?? 0, 'create' in args ? 1 : 0);
  });
}

test('64 edits with one hash are one edit and 63 refusals that show it', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'text\n' } });
  const { content_hash } = await bench.call('note_read', { path: 'a' });
  const answers = await Promise.all(
    SIXTY_FOUR.map((index) =>
      bench.answer('note_write', { path: 'a', content: `mine ${index}\n`, content_hash }),
    ),
  );
  assert.equal(answers.filter(({ isError }) => !isError).length, 1);
  for (const { isError, content } of answers) {
    const block = content[1];
    if (!isError || block?.type !== 'text') continue;
    const { code, data } = JSON.parse(block.text);
    assert.equal(code, 'hash_mismatch');
    assert.match(data.difference, /^\+mine \d+$/m);
  }
});

test('an edit that was answered is there, whatever others append meanwhile', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': '# A\n' } });
  const file = join(bench.data, 'default/a.md');
  let refused = 0;
  const ours: number[] = [];
  await Promise.all([
    (async () => {
      for (const index of SIXTY_FOUR) await appendFile(file, `theirs ${index}\n`);
    })(),
    (async () => {
      for (const index of SIXTY_FOUR) {
        const edit = { path: 'a', mode: 'prepend_to_note', content: `ours ${index}` };
        const { isError } = await bench.answer('note_section_edit', edit);
        if (isError) refused++;
        else ours.push(index);
      }
    })(),
  ]);
  const text = await bench.text('a.md');
  for (const index of ours) assert.match(text, new RegExp(`^ours ${index}$`, 'm'));
  assert.equal(ours.length + refused, SIXTY_FOUR.length);
});

test('an edit from outside between read and write is hash_mismatch with the difference', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'text\n', 'b.md': '# B\n\n## S\n' } });
  const file = join(bench.data, 'default/a.md');
  const { changes } = bench.open.vault;
  // The tool reads in its turn; the outside edit comes in the moment after that.
  const run = changes.run.bind(changes);
  changes.run = (request, work) =>
    run(request, async (transaction) => {
      const value = await work(transaction);
      await writeFile(file, 'theirs\n');
      return value;
    });
  for (const [tool, args] of [
    ['note_section_edit', { mode: 'append_to_note', content: 'mine' }],
    ['note_edit', { edits: [{ old_string: 't', new_string: 'mine', replace_all: true }] }],
    ['note_frontmatter', { set: { mine: 1 } }],
  ] as const) {
    await writeFile(file, 'text\n');
    const { code, data } = await bench.refusal(tool, { path: 'a', ...args });
    assert.equal(code, 'hash_mismatch', tool);
    assert.match(data.difference, /^-text$/m, tool);
    assert.match(data.difference, /^\+theirs$/m, tool);
    assert.equal(await bench.text('a.md'), 'theirs\n', tool);
  }
  await writeFile(file, 'text\n');
  const move = { path: 'b', mode: 'move_section', heading: 'S', to: 'a.md' };
  assert.equal((await bench.refusal('note_section_edit', move)).code, 'hash_mismatch');
  assert.deepEqual(
    [await bench.text('a.md'), await bench.text('b.md')],
    ['theirs\n', '# B\n\n## S\n'],
  );
});
