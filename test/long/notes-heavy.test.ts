/**
 * Notes that no person writes, on the running server: each is indexed or said to be skipped, every
 * tool answers about it with a result or a code, shortly, and the server goes on answering others.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cleaner, type NotesProcess, startNotes } from '../support/notes/notes.ts';

const many = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('');
const BOMB = `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghijk']
  .map((key, at) => `${key}: &${key} [${Array(9).fill(`*${'abcdefghijk'[at]}`).join(',')}]\n`)
  .join('')}`;

const HEAVY: Readonly<Record<string, string | Buffer>> = {
  'binary.md': Buffer.from(Array.from({ length: 200_000 }, (_, at) => (at * 7919) % 256)),
  'one line.md': 'word '.repeat(400_000),
  'headings.md': many(20_000, (at) => `## Heading ${at}\n`),
  'not utf8.md': Buffer.concat([Buffer.from('# T\n\n'), Buffer.alloc(1_000_000, 0xff)]),
  'deep lists.md': `${'- '.repeat(10_000)}x\n${many(1000, (at) => `${'  '.repeat(at)}- x\n`)}`,
  'deep quotes.md': `${'> '.repeat(10_000)}x\n`,
  'links.md': many(20_000, (at) => `[[headings#Heading ${at}]]\n`),
  'blocks.md': `# A\n\n${many(5000, (at) => `[[#^b${at}]] x ^b${at}\n`)}\n# Heading 42\n`,
  'labels.md': `# Heading 42\n\n${many(5000, (at) => `[x][l${at}]\n`)}\n# B\n\n${many(5000, (at) => `[l${at}]: u\n`)}`,
  'bomb.md': `---\n${BOMB}---\nx\n`,
  'deep front.md': `---\na: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n---\nx\n`,
  'long front.md': `---\n${many(50_000, (at) => `key${at}: value\n`)}---\nx\n`,
  'brackets.md': `${'['.repeat(200_000)}\n${'[[a|'.repeat(100_000)}\n${'](<'.repeat(100_000)}`,
  'tasks.md': '- [ ] task\n'.repeat(20_000),
  'empty lines.md': '\n'.repeat(200_000),
  'empty.md': '',
  [`${'漢'.repeat(84)}.md`]: 'a name of 255 bytes\n',
};
const SKIPPED = ['binary.md'];
const MAX_RESULT_LENGTH = 20_000;

const suite = cleaner();
let notes: NotesProcess;
before(async () => {
  const files = Object.entries(HEAVY).map(([path, text]) => [`default/${path}`, text]);
  notes = await startNotes(suite, { files: Object.fromEntries(files) });
  const answered = countWhile(notes.indexed());
  assert.ok((await answered) > 0, 'nobody was answered while the index was built');
});
after(() => suite.clean());

/** How many requests of another are answered, one after the other, until the work is done. */
async function countWhile(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  let answered = 0;
  while (!isDone) {
    assert.equal((await fetch(`${notes.url}/healthz`)).status, 200);
    if (!isDone) answered++;
  }
  await done;
  return answered;
}

/** A result, or a refusal with a code; short in either case. */
async function short(tool: string, args: object): Promise<string> {
  const { content, isError } = await notes.rpc('tools/call', { name: tool, arguments: args });
  const text = content.map((block: { text: string }) => block.text).join('');
  assert.ok(text.length < MAX_RESULT_LENGTH, `${tool} ${JSON.stringify(args)}: ${text.length}`);
  return isError ? JSON.parse(content[1].text).code : 'ok';
}

test('each is indexed, or skipped with the reason', async () => {
  const { value } = await notes.call('vault_stats');
  assert.equal(value.index.state, 'ready');
  assert.equal(value.index.on_disk, Object.keys(HEAVY).length);
  assert.deepEqual(
    value.index.skipped_notes.map(({ path, reason }: Record<string, string>) => [path, reason]),
    SKIPPED.map((path) => [path, 'it contains NUL bytes, as UTF-16 and binary files do']),
  );
});

for (const path of Object.keys(HEAVY)) {
  test(`every tool answers about ${path.slice(0, 20)}, and so does the server`, async () => {
    const edits = [{ old_string: 'no such text', new_string: 'x' }];
    const everywhere = [{ old_string: 'or', new_string: 'aw', replace_all: true }];
    const heading = 'Heading 42';
    const calls: [string, object][] = [
      ...['content', 'outline', 'full'].map((view): [string, object] => [
        'note_read',
        { path, view },
      ]),
      ['note_read', { path, heading }],
      ['note_links', { path, depth: 3 }],
      ['note_related', { path }],
      ['note_edit', { path, edits }],
      ['note_edit', { path, edits: everywhere, dry_run: true }],
      ['note_section_edit', { path, mode: 'append_to_note', content: 'more' }],
      ['note_section_edit', { path, mode: 'delete_section', heading, dry_run: true }],
      ['note_frontmatter', { path, set: { k: 1 }, add_tags: ['t'], dry_run: true }],
      ['task_toggle', { path, text: 'task', dry_run: true }],
      ['note_split', { path, level: 2, dry_run: true }],
      ['note_split', { path, heading, dry_run: true }],
      ['note_merge', { path, into: 'empty.md', dry_run: true }],
      ['note_merge', { path: 'empty.md', into: path, dry_run: true }],
      ['note_move', { path, to: 'elsewhere/note.md', dry_run: true }],
      ['note_delete', { path, dry_run: true }],
    ];
    for (const [tool, args] of calls) {
      const code = await short(tool, args);
      assert.ok(!['storage_error', 'internal_error'].includes(code), `${tool}: ${code}`);
    }
  });
}

test('others are answered while links of the whole vault are mended and undone', async () => {
  const move = notes.call('note_move', { path: 'headings.md', to: 'moved/headings.md' });
  assert.ok((await countWhile(move)) > 0);
  const { value } = await move;
  assert.ok(value.link_edits.links === 0 || value.link_edits.links === 20_000);
  const undone = notes.call('change_undo', { change_id: value.change_id });
  assert.ok((await countWhile(undone)) > 0);
  assert.equal((await undone).isError, false);
});

const HUGE: Readonly<Record<string, string>> = {
  'log.md': '- a line of a log\n'.repeat(400_000),
  'empty lines of a log.md': '\n'.repeat(3_500_000),
  'many headings.md': many(100_000, (at) => `## Heading ${at}\n`),
  'long line.md': 'word '.repeat(1_500_000),
};
const dry = { dry_run: true };
const heading = 'Heading 42';
for (const [path, content] of Object.entries(HUGE)) {
  test(`others are answered while ${path} is read, edited and taken apart`, async () => {
    assert.equal((await notes.call('note_create', { path, content })).isError, false);
    for (const [tool, args] of [
      ['note_read', { path, view: 'outline' }],
      ['note_read', { path, heading }],
      ['note_section_edit', { path, mode: 'append_to_note', content: 'more' }],
      ['note_frontmatter', { path, set: { k: 1 } }],
      ['note_edit', { path, edits: [{ old_string: 'k: 1', new_string: 'k: 2' }] }],
      ['note_section_edit', { ...dry, path: 'blocks.md', mode: 'move_section', heading, to: path }],
      ['note_split', { ...dry, path, level: 1 }],
      ['note_merge', { ...dry, path, into: 'empty.md' }],
      ['note_merge', { ...dry, path: 'empty.md', into: path }],
      ['note_move', { ...dry, path, to: 'elsewhere/note.md' }],
    ] as const) {
      const call = short(tool, args);
      const answered = await countWhile(call);
      assert.ok(answered > 10, `${tool}: ${answered} others, ${await call}`);
    }
  });
}

test('others are answered between the cuts of a split', async () => {
  const content = many(60, (at) => `## Part ${at}\n\n${'text [[headings]] '.repeat(20)}\n\n`);
  await notes.call('note_create', { path: 'parts.md', content });
  const split = notes.call('note_split', { path: 'parts.md', level: 2, dry_run: true });
  const answered = await countWhile(split);
  assert.equal((await split).value.created.length, 60);
  assert.ok(answered >= 10, `${answered}`);
});

test('what searches the whole vault is short and answered', async () => {
  for (const [tool, args] of [
    ['note_search', { query: 'word heading task' }],
    ['note_search', { query: 'heading 42', mode: 'substring' }],
    ['vault_grep', { pattern: 'e', limit: 200, context: 10 }],
    ['vault_review', { limit: 100 }],
    ['vault_replace', { pattern: 'Heading 42', replace: 'x' }],
    ['vault_replace', { pattern: '[^]+', replace: '$&'.repeat(5000), kind: 'regex' }],
    ['note_list', { limit: 500 }],
    ['task_list', { limit: 200 }],
    ['tag_list', { limit: 500 }],
  ] as const) {
    assert.notEqual(await short(tool, args), 'storage_error', tool);
  }
});
