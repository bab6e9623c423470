import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';
import { parseNote } from '../markdown/parse-note.ts';
import { captureEntry } from '../tool-writes/capture-entry.ts';

const now = () => new Date(2026, 10, 15, 12);

for (const [capture, expected] of [
  [{ text: 'one line' }, '- one line'],
  [{ text: '\n two \nlines\n\n' }, '- two \n  lines'],
  [{ text: 'a\n\n# b\n```' }, '- a\n\n  # b\n  ```'],
  [{ text: '- [ ] task' }, '- [ ] task'],
  [{ text: '- [ ] task\n- [ ] other', tags: ['x'] }, '- [ ] task #x\n- [ ] other'],
  [{ text: '- a\n  more\n\n  - b\n10. c\n    more' }, '- a\n  more\n\n  - b\n10. c\n    more'],
  [{ text: '- a\n<!-- x' }, '- - a\n  <!-- x'],
  [{ text: '- a\n\n# b' }, '- - a\n\n  # b'],
  [{ text: '10. a\n   # b' }, '- 10. a\n     # b'],
  [{ text: '-\ta\n   # b' }, '- -\ta\n     # b'],
  [{ text: '* * *\n  # b' }, '- * * *\n    # b'],
  [{ text: '- -\n# b' }, '* - -\n  # b'],
  [{ text: '---\n# b' }, '* ---\n  # b'],
  [
    { text: 'x', tags: ['a', '#b/c'], source: 'https://a.example/\n' },
    '- x #a #b/c (https://a.example/)',
  ],
  [{ text: 'x\ny', tags: ['a'] }, '- x\n  y\n  #a'],
  [{ text: 'x', title: 'T\nU' }, '- **T U**: x'],
  [{ text: 'x\ny', title: 'T' }, '- **T**\n  x\n  y'],
  [{ text: '- x', title: 'T' }, '- **T**\n  - x'],
] as const) {
  test(`${JSON.stringify(capture)} is one entry`, () => {
    assert.equal(captureEntry(capture), expected);
  });
}

test('captures are added to the inbox and to the notes of days', async (context) => {
  const bench = await notesBench(context, { now });
  const capture = async (args: object) => (await bench.call('note_capture', args)).path;
  assert.equal(await capture({ text: 'one' }), 'inbox.md');
  assert.equal(await capture({ text: 'two', to: 'inbox' }), 'inbox.md');
  assert.equal(await capture({ text: 'deep', heading: 'Later' }), 'inbox.md');
  assert.equal(await bench.text('inbox.md'), '# Inbox\n\n- one\n- two\n\n## Later\n\n- deep\n');
  assert.equal(await capture({ text: 'now', to: 'daily' }), 'daily/2026-11-15.md');
  assert.equal(
    await capture({ text: 'then', to: 'daily', date: '2024-02-29' }),
    'daily/2024-02-29.md',
  );
  assert.equal(await capture({ text: 'x', to: 'daily', title: 'T' }), 'daily/2026-11-15.md');
  assert.equal(await bench.text('daily/2026-11-15.md'), '# 2026-11-15\n\n- now\n- **T**: x\n');
  assert.equal(await bench.text('daily/2024-02-29.md'), '# 2024-02-29\n\n- then\n');
});

test('no capture blocks the next one or becomes a heading of the note', async (context) => {
  const bench = await notesBench(context, { now });
  for (const text of ['- a\n<!-- x', '- a\n\n# b', '* * *\n # b', '- - -\n# b', '10. a\n  # b']) {
    await bench.call('note_capture', { text });
    const { headings } = parseNote(await bench.bytes('inbox.md'));
    assert.deepEqual(
      headings.map((heading) => heading.text),
      ['Inbox'],
      text,
    );
  }
});

test('with a title an inbox capture is a separate note', async (context) => {
  const bench = await notesBench(context, { now });
  const args = { text: 'figs', title: 'Fig: a/b?', tags: ['fruit'], source: 'Ada, p. 3' };
  const { path } = await bench.call('note_capture', args);
  assert.equal(path, 'inbox/Fig a b.md');
  const expected = '---\nsource: Ada, p. 3\ntags: [fruit]\n---\n# Fig: a/b?\n\nfigs\n';
  assert.equal(await bench.text(path), expected);
});

test('captures at one time with one title are as many notes', async (context) => {
  const bench = await notesBench(context, { now });
  const args = { text: 'お茶を買う', title: '買い物メモ' };
  const all = await Promise.all([1, 2, 3].map(() => bench.call('note_capture', args)));
  const paths = all.map(({ path }) => path).sort();
  assert.deepEqual(paths, [
    ...['inbox/買い物メモ 2.md', 'inbox/買い物メモ 3.md', 'inbox/買い物メモ.md'],
  ]);
  for (const path of paths) assert.equal(await bench.text(path), '# 買い物メモ\n\nお茶を買う\n');
});

test('any title makes a name that stays in the inbox', async (context) => {
  const bench = await notesBench(context, { now });
  for (const title of [
    ...['../../etc/passwd', '..', '.git', '/', '\u200b.notes', 'a\0b', 'CON.', 'あ'.repeat(400)],
    ...['x'.repeat(500), '[[link]]', '-x', '*.md', ':(glob)a', '\ufffd'],
  ]) {
    const answer = await bench.call('note_capture', { text: 'x', title: title.slice(0, 500) });
    assert.match(answer.path, /^inbox\/[^/.\\]+( \d+)?[^/]*\.md$/, title);
    assert.ok(bench.exists(answer.path), title);
  }
});

test('an inbox and a folder of days in another case are used as they are', async (context) => {
  const files = { 'Inbox.md': '# In\n', 'Daily/2026-01-01.md': '# Day\n', 'INBOX/a.md': '' };
  const bench = await notesBench(context, { files, now });
  const capture = async (args: object) => (await bench.call('note_capture', args)).path;
  assert.equal(await capture({ text: 'x' }), 'Inbox.md');
  assert.equal(
    await capture({ text: 'x', to: 'daily', date: '2026-01-01' }),
    'Daily/2026-01-01.md',
  );
  assert.equal(await capture({ text: 'x', to: 'daily' }), 'Daily/2026-11-15.md');
  const read = await bench.call('note_read', { path: 'daily:today' });
  assert.equal(read.path, 'Daily/2026-11-15.md');
  assert.equal(await capture({ text: 'x', title: 'A' }), 'INBOX/A 2.md');
});

const REFUSED = [
  [{}, 'invalid_arguments'],
  [{ text: ' \n' }, 'invalid_arguments'],
  [{ text: 'x', to: 'daily', date: '2026-02-30' }, 'invalid_arguments'],
  [{ text: 'x', to: 'daily', date: '../x' }, 'invalid_arguments'],
  [{ text: 'x', date: '2026-01-01' }, 'invalid_arguments'],
  [{ text: 'x', title: 'T', heading: 'H' }, 'invalid_arguments'],
  [{ text: 'x', title: 'T', content_hash: 'x' }, 'invalid_arguments'],
  [{ text: 'x', tags: ['a b'] }, 'invalid_arguments'],
  [{ text: 'x', title: 'T', tags: ['a b'] }, 'invalid_arguments'],
  [{ text: 'x', heading: 'a\nb' }, 'invalid_arguments'],
  [{ text: 'x', heading: 'Twin' }, 'heading_ambiguous'],
  [{ text: 'x', content_hash: 'other' }, 'hash_mismatch'],
  [{ text: 'x', to: 'daily', content_hash: 'other' }, 'note_not_found'],
] as const;

test('what is no capture leaves everything as it was', async (context) => {
  const inbox = '# Inbox\n\n## Twin\n\n## Twin\n';
  const bench = await notesBench(context, { files: { 'inbox.md': inbox }, now });
  for (const [args, code] of REFUSED) {
    const refused = await bench.refusal('note_capture', args);
    assert.equal(refused.code, code, JSON.stringify(args));
  }
  assert.equal(await bench.text('inbox.md'), inbox);
  assert.ok(!bench.exists('daily') && !bench.exists('inbox'));
});
