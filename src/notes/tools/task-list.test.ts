import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type NotesBench, notesBench } from '../../../test/support/notes/notes-tools.ts';

const FILES = {
  'home/a.md': '- [ ] late 📅 2026-11-10\n- [x] was done 📅 2026-11-11\n- [ ] someday\n',
  'work/b.md': '- [ ] now 📅 2026-11-15\n- [ ] soon 📅 2026-11-20\n',
};
const now = () => new Date(2026, 10, 15, 12);

async function texts({ call }: NotesBench, args: object): Promise<string[]> {
  const { tasks } = await call('task_list', args);
  return tasks.map(({ text }: { text: string }) => text.replace(/ 📅.*/, ''));
}

test('states of a person are listed and set', async (context) => {
  const text = '- [/] begun\n- [-] dropped\n- DOING a word\n- [ ] open\n- [x] done\n';
  const bench = await notesBench(context, { files: { 'a.md': text } });
  const { tasks } = await bench.call('task_list', { done: false });
  assert.deepEqual(
    tasks.map(({ text, state }: { text: string; state?: string }) => [text, state]),
    [
      ['begun', '/'],
      ['a word', 'DOING'],
      ['open', undefined],
    ],
  );
  assert.deepEqual(await texts(bench, { state: '-' }), ['dropped']);
  assert.deepEqual(await texts(bench, { state: 'DOING' }), ['a word']);
  await bench.call('task_toggle', { path: 'a', text: 'open', state: '/' });
  await bench.call('task_toggle', { path: 'a', text: 'a word' });
  assert.deepEqual(await texts(bench, { state: '/' }), ['begun', 'open']);
  assert.match(await bench.text('a.md'), /^- DONE a word$/m);
  assert.equal((await bench.call('vault_stats')).counts.open_tasks, 2);
});

describe('task_list', () => {
  test('every filter; what is due first comes first', async (context) => {
    const bench = await notesBench(context, { files: FILES, now });
    const rows: [object, string[]][] = [
      [{}, ['late', 'was done', 'now', 'soon', 'someday']],
      [{ done: false }, ['late', 'now', 'soon', 'someday']],
      [{ done: true }, ['was done']],
      [{ contains: 'SOME' }, ['someday']],
      [{ prefix: 'work' }, ['now', 'soon']],
      [{ due: 'overdue', done: false }, ['late']],
      [{ due: 'today' }, ['now']],
      [{ due: '2026-11-20' }, ['soon']],
      [{ due: '..today' }, ['late', 'was done', 'now']],
      [{ due: 'today..' }, ['now', 'soon']],
      [{ due: '2026-11-11..2026-11-15' }, ['was done', 'now']],
    ];
    for (const [args, expected] of rows) {
      assert.deepEqual(await texts(bench, args), expected, JSON.stringify(args));
    }
    const { tasks } = await bench.call('task_list', { due: 'today' });
    assert.deepEqual(tasks, [
      { path: 'work/b.md', line: 1, text: 'now 📅 2026-11-15', done: false, due: '2026-11-15' },
    ]);
  });

  test('pages hold every task once', async (context) => {
    const { call } = await notesBench(context, {
      files: { 'a.md': Array.from({ length: 130 }, (_, index) => `- [ ] t${index}\n`).join('') },
    });
    const seen: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await call('task_list', cursor === undefined ? {} : { cursor });
      seen.push(...page.tasks.map(({ line }: { line: number }) => line));
      cursor = page.cursor;
    } while (cursor !== undefined);
    assert.deepEqual([seen.length, new Set(seen).size], [130, 130]);
  });

  test('wrong arguments are refused', async (context) => {
    const { refusal } = await notesBench(context, { files: FILES, now });
    const wrong: object[] = [
      ...[{ due: '' }, { due: '..' }, { due: 'tomorrow' }, { due: '2026-02-30' }, { due: 'x..y' }],
      ...[{ done: 'no' }, { limit: 201 }, { cursor: 'x' }, { contains: 'x'.repeat(201) }],
    ];
    for (const args of wrong) {
      const { code } = await refusal('task_list', args);
      assert.equal(code, 'invalid_arguments', JSON.stringify(args).slice(0, 60));
    }
  });
});
