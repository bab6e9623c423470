/** Writes at one time: none is lost, and none overwrites what somebody else wrote. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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

for (const how of ['in place', 'by rename'] as const) {
  test(`100 calls succeed while an editor saves ${how} every 7 ms`, async (context) => {
    const bench = await notesBench(context, { files: { 'a.md': '# A\n' } });
    const { saves, stop } = await savingEditor(join(bench.data, 'default/a.md'), how);
    try {
      for (let index = 0; index < 100 || saves() < 20; index++) {
        const edit = { path: 'a', mode: 'append_to_note', content: `ours ${index}` };
        const { diff } = await bench.call('note_section_edit', edit);
        assert.match(diff, new RegExp(`^\\+ours ${index}$`, 'm'));
      }
    } finally {
      await stop();
    }
  });
}

test('an edit is computed again from the note as an editor saved it meanwhile', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'text\n' } });
  const { changes } = bench.open.vault;
  const run = changes.run.bind(changes);
  let saved = 0;
  changes.run = (request, work) =>
    run(request, async (transaction) => {
      const value = await work(transaction);
      if (saved++ === 0) await writeFile(join(bench.data, 'default/a.md'), 'theirs\n');
      return value;
    });
  const edit = { path: 'a', mode: 'append_to_note', content: 'ours' };
  await bench.call('note_section_edit', edit);
  assert.deepEqual([await bench.text('a.md'), saved], ['theirs\n\nours\n', 2]);
  await writeFile(join(bench.data, 'default/a.md'), 'text\n');
  saved = 0;
  const { content_hash } = await bench.call('note_read', { path: 'a' });
  assert.equal(
    (await bench.refusal('note_section_edit', { ...edit, content_hash })).code,
    'hash_mismatch',
  );
  assert.equal(await bench.text('a.md'), 'theirs\n');
});

test('an edit while every attempt is disturbed is hash_mismatch with the difference', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'text\n', 'b.md': '# B\n\n## S\n' } });
  const file = join(bench.data, 'default/a.md');
  const { changes } = bench.open.vault;
  // The tool reads in its turn; the outside edit comes in the moment after that.
  const run = changes.run.bind(changes);
  let saves = 0;
  changes.run = (request, work) =>
    run(request, async (transaction) => {
      const value = await work(transaction);
      await writeFile(file, `theirs ${saves++}\n`);
      return value;
    });
  for (const [tool, args] of [
    ['note_section_edit', { mode: 'append_to_note', content: 'mine' }],
    ['note_edit', { edits: [{ old_string: 'e', new_string: 'mine', replace_all: true }] }],
    ['note_frontmatter', { set: { mine: 1 } }],
  ] as const) {
    await writeFile(file, 'text\n');
    const { code, data } = await bench.refusal(tool, { path: 'a', ...args });
    assert.equal(code, 'hash_mismatch', tool);
    assert.equal(
      data.difference,
      `@@ -1,1 +1,1 @@\n-theirs ${saves - 2}\n+theirs ${saves - 1}`,
      tool,
    );
    assert.equal(await bench.text('a.md'), `theirs ${saves - 1}\n`, tool);
  }
  await writeFile(file, 'text\n');
  const move = { path: 'b', mode: 'move_section', heading: 'S', to: 'a.md' };
  assert.equal((await bench.refusal('note_section_edit', move)).code, 'hash_mismatch');
  assert.deepEqual(
    [await bench.text('a.md'), await bench.text('b.md')],
    [`theirs ${saves - 1}\n`, '# B\n\n## S\n'],
  );
});

/** A process that changes one line of the note every 7 ms, as an editor with autosave does. */
async function savingEditor(file: string, how: 'in place' | 'by rename') {
  const place = how === 'in place' ? file : `${file}~`;
  const program = `
    const { readFileSync, renameSync, writeFileSync } = require('node:fs');
    const [file, place] = ${JSON.stringify([file, place])};
    let saves = 0;
    setInterval(() => {
      const text = readFileSync(file, 'utf8').replace(/^saved .*\\n/m, '');
      writeFileSync(place, text + 'saved ' + saves++ + '\\n');
      if (place !== file) renameSync(place, file);
      process.stdout.write('.');
    }, 7);`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  let saves = 0;
  child.stdout.on('data', (dots: Buffer) => {
    saves += dots.length;
  });
  await once(child.stdout, 'data');
  const stop = async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  return { saves: () => saves, stop };
}
