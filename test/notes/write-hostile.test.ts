/** No path leads a writing tool out of the visible vault, and no argument makes it throw. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Schema } from '../../src/mcp/schema.ts';
import { contentHash } from '../../src/notes/files/content-hash.ts';
import { temporaryDirectory } from '../support/notes/notes-storage.ts';
import { type NotesBench, notesBench } from '../support/notes/notes-tools.ts';
import { allFiles, FILES, PNG, resetFiles, WRITE_CALLS } from '../support/notes/write-calls.ts';
import { sampleOf } from '../support/property-runs.ts';

const ONE = [{ old_string: 'secret', new_string: 'x' }];
const APPEND = { mode: 'append_to_note', content: 'x' };

/** Every place of every tool at which a path may stand. */
const PLACES: [
  tool: string,
  args: (path: string, bench: NotesBench) => object | Promise<object>,
][] = [
  ['note_create', (path) => ({ path, content: 'x' })],
  ['note_create', (path) => ({ path: 'fresh.md', template: path })],
  ['note_write', (path) => ({ path, content: 'x', content_hash: SECRET_HASH })],
  ['note_edit', (path) => ({ path, edits: ONE })],
  ['note_section_edit', (path) => ({ path, ...APPEND })],
  [
    'note_section_edit',
    (path) => ({ path: 'a', mode: 'move_section', heading: 'S', to: { path } }),
  ],
  ['note_frontmatter', (path) => ({ path, set: { k: 1 } })],
  ['task_toggle', (path) => ({ path, line: 1 })],
  ['note_delete', (path) => ({ path })],
  ['note_restore', (path) => ({ path, revision: 'f'.repeat(40) })],
  [
    'note_restore',
    async (to, bench) => {
      await bench.put('gone.md', 'gone');
      return { trash_id: (await bench.call('note_delete', { path: 'gone' })).trash_id, to };
    },
  ],
  ['attachment_put', (path) => ({ path, data: PNG.toString('base64') })],
  [
    'attachment_put',
    (path) => ({ path: `${path}/x.png`.replace('folder.md', 'dir'), data: PNG.toString('base64') }),
  ],
  ['note_capture', (date) => ({ text: 'x', to: 'daily', date })],
];

const SECRET = '- [ ] secret\n';
const SECRET_HASH = contentHash(Buffer.from(SECRET));

const PATHS = [
  ...['', '.', '..', '/', '//', '../out.md', 'f/../../out.md', 'f/../a.md', './a.md', 'f//a.md'],
  ...[
    '/etc/passwd',
    '/etc/x.md',
    'f\\a.md',
    '..\\out.md',
    'C:\\a.md',
    'a\0.md',
    'a.md\0',
    'a\n.md',
  ],
  ...['.git/config', '.git/config.md', '.notes/instructions.md', '.notes/index.db', '.x.md'],
  ...['f/.x/a.md', '\u200b.git/x.md', '\u2060.notes/x.md', 'a\ud800.md', '\ufffd.md'],
  ...['dir/secret.md', 'dir/new.md', 'dir/deep/new.md', 'f/dir/new.md', 'file.md', 'dangling.md'],
  ...['git/x.md', 'trash/x.md', 'loop/x.md', 'a.md/x.md', 'folder.md', 'x'.repeat(256)],
  ...[`${'é'.repeat(127)}.md`, `${'f/'.repeat(512)}a.md`, 'x'.repeat(100_000)],
];

/** A note that cannot be there is as good as one that is not. */
const REFUSALS = new Set([
  ...['path_invalid', 'path_hidden', 'note_not_found', 'note_exists', 'type_refused'],
  ...['versioning_off', 'invalid_arguments'],
]);

async function benchWithLinks(
  context: TestContext,
): Promise<{ bench: NotesBench; outside: string }> {
  const bench = await notesBench(context, { files: FILES });
  const outside = await temporaryDirectory(context);
  const root = join(bench.data, 'default');
  await writeFile(join(outside, 'secret.md'), SECRET);
  await mkdir(join(root, '.git'));
  await mkdir(join(root, 'f'));
  await mkdir(join(root, 'folder.md'));
  await mkdir(join(root, '.notes/trash'), { recursive: true });
  for (const [target, name] of [
    [outside, 'dir'],
    [outside, 'f/dir'],
    [join(outside, 'secret.md'), 'file.md'],
    [join(outside, 'made.md'), 'dangling.md'],
    ['.git', 'git'],
    ['.notes/trash', 'trash'],
    ['loop', 'loop'],
  ] as const) {
    await symlink(target, join(root, name));
  }
  return { bench, outside };
}

test('no path of any tool leads out of the visible vault', async (context) => {
  const { bench, outside } = await benchWithLinks(context);
  let before = await allFiles(bench);
  for (const [index, [tool, args]] of PLACES.entries()) {
    for (const path of sampleOf(PATHS, 4, index)) {
      const given = await args(path, bench);
      // Only these arguments need a note that is in the trash.
      if ('trash_id' in given) before = await allFiles(bench);
      const what = `${index} ${tool} ${JSON.stringify(path.slice(0, 60))}`;
      const { code, data } = await bench.refusal(tool, given);
      assert.ok(REFUSALS.has(code), `${what}: ${code}`);
      assert.ok(JSON.stringify(data).length < 2000, what);
      assert.deepEqual(await allFiles(bench), before, what);
    }
  }
  assert.deepEqual(await readdir(outside), ['secret.md']);
  assert.equal(await readFile(join(outside, 'secret.md'), 'utf8'), SECRET);
  assert.deepEqual(await readdir(join(bench.data, 'default/.git')), []);
  assert.equal(await readlink(join(bench.data, 'default/file.md')), join(outside, 'secret.md'));
});

test('a new note beside a link is beside it, and the link is not followed', async (context) => {
  const { bench, outside } = await benchWithLinks(context);
  for (const path of ['file.md', 'dangling.md', 'folder.md']) {
    const made = await bench.call('note_create', { path, content: 'x', if_exists: 'suffix' });
    assert.equal(made.path, path.replace('.md', ' 2.md'));
  }
  assert.deepEqual(await readdir(outside), ['secret.md']);
  assert.equal(await readFile(join(outside, 'secret.md'), 'utf8'), SECRET);
});

test('a capture does not follow a link at its place', async (context) => {
  const outside = await temporaryDirectory(context);
  await writeFile(join(outside, 'secret.md'), SECRET);
  const bench = await notesBench(context);
  const root = join(bench.data, 'default');
  await symlink(join(outside, 'secret.md'), join(root, 'inbox.md'));
  for (const folder of ['daily', 'inbox', 'attachments'])
    await symlink(outside, join(root, folder));
  const data = PNG.toString('base64');
  for (const [tool, args] of [
    ['note_capture', { text: 'x' }],
    ['note_capture', { text: 'x', to: 'daily' }],
    ['note_capture', { text: 'x', title: 'secret' }],
    ['attachment_put', { path: 'x.png', data }],
  ] as const) {
    assert.equal((await bench.refusal(tool, args)).code, 'path_invalid', tool);
  }
  assert.deepEqual(await readdir(outside), ['secret.md']);
  assert.equal(await readFile(join(outside, 'secret.md'), 'utf8'), SECRET);
});

test('a path means one note in any composition and letter case, for every tool', async (context) => {
  const bench = await notesBench(context, { files: { 'Notes/Café.md': 'x\n' } });
  for (const path of ['Notes/Cafe\u0301', 'notes/CAFÉ.md', 'NOTES/café']) {
    assert.equal((await bench.call('note_read', { path })).path, 'Notes/Café.md');
    const edited = await bench.call('note_section_edit', { path, ...APPEND });
    assert.deepEqual([edited.path, edited.warnings], ['Notes/Café.md', []]);
    const { code, message } = await bench.refusal('note_create', { path, content: 'y' });
    assert.equal(code, 'note_exists');
    assert.match(message, /"Notes\/Café\.md"/);
    await bench.call('note_list', { prefix: path.split('/')[0]! });
  }
  assert.equal((await bench.call('note_list', { prefix: 'notes' })).items.length, 1);
  assert.equal((await bench.call('note_create', { path: 'notes/new' })).path, 'Notes/new.md');
  const moved = await bench.call('note_move', { path: 'notes/NEW', to: 'notes/New' });
  assert.deepEqual([moved.path, moved.moved_from], ['Notes/New.md', 'Notes/new.md']);
});

test('of two names that differ in letter case only the exact one is meant', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'small\n', 'A.md': 'big\n' } });
  for (const [path, content] of [
    ['a', 'small\n'],
    ['A.md', 'big\n'],
  ] as const) {
    assert.equal((await bench.call('note_read', { path })).content, content);
    assert.equal((await bench.call('note_edit', { path, edits: [SAME] })).path, `${path[0]}.md`);
  }
});

const SAME = { old_string: '\n', new_string: '\n' };
const deep = JSON.parse(`${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`);
const OTHERS: readonly unknown[] = [null, true, 0, -1, 1.5, 1e308, '', 'x', [], [null], {}, deep];

test('a value of the wrong type is invalid_arguments for every argument', async (context) => {
  const bench = await notesBench(context, {
    files: FILES,
    git: { author: { name: 'A', email: 'a@a.example' } },
  });
  for (const { tool, args } of WRITE_CALLS) {
    await resetFiles(bench);
    const given = await args(bench);
    const { properties = {}, required = [] } = bench.tools.get(tool)!.inputSchema;
    const before = await allFiles(bench);
    const refusedFor = async (wrong: unknown, what: string) => {
      const { code, message } = await bench.refusal(tool, wrong as object);
      assert.equal(code, 'invalid_arguments', `${tool} ${what}: ${code}`);
      assert.ok(message.length < 1000, `${tool} ${what}`);
    };
    for (const [name, schema] of Object.entries(properties)) {
      for (const value of OTHERS.filter((other) => !mayBe(schema, other))) {
        await refusedFor(
          { ...given, [name]: value },
          `${name} ${JSON.stringify(value).slice(0, 20)}`,
        );
      }
    }
    for (const name of required) {
      const { [name]: _, ...rest } = given as Record<string, unknown>;
      await refusedFor(rest, `without ${name}`);
    }
    await refusedFor({ ...given, unknown: 1 }, 'unknown');
    await refusedFor(JSON.parse('{"__proto__": {"path": "a.md"}}'), '__proto__');
    for (const wrong of [null, [], 'x', 1]) await refusedFor(wrong, JSON.stringify(wrong));
    assert.deepEqual(await allFiles(bench), before, tool);
  }
});

/** Whether the type of the value is one the schema takes, whatever else it asks. */
function mayBe({ type, anyOf, enum: texts }: Schema, value: unknown): boolean {
  if (anyOf) return anyOf.some((schema) => mayBe(schema, value));
  if (texts) return texts.includes(value as string);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object')
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

const HUGE = 'x'.repeat(300_000);
const TEXTS = [
  HUGE,
  '\ud800',
  'a\udfffb',
  '\0',
  '\x1b[31m',
  '\u202e',
  '```\n'.repeat(20_000),
  '---\n---\n',
];

test('any text in any argument is taken or refused with a code', async (context) => {
  const bench = await notesBench(context, {
    files: FILES,
    git: { author: { name: 'A', email: 'a@a.example' } },
  });
  for (const [index, { tool, args }] of WRITE_CALLS.entries()) {
    for (const text of sampleOf(TEXTS, 4, index)) {
      await resetFiles(bench);
      const given = await args(bench);
      for (const [name, value] of Object.entries(withText(given, text))) {
        const answer = await bench.answer(tool, { ...given, [name]: value, dry_run: true });
        const block = answer.content[answer.isError ? 1 : 0];
        const parsed = JSON.parse(block?.type === 'text' ? block.text : '');
        assert.equal(typeof parsed[answer.isError ? 'code' : 'path'], 'string', `${tool} ${name}`);
        assert.ok(JSON.stringify(answer.content).length < 100_000, `${tool} ${name}`);
        if (!text.isWellFormed()) assert.equal(answer.isError, true, `${tool} ${name}`);
      }
    }
  }
});

/** Each argument that is a text, or holds texts, with the text in its place. */
function withText(args: object, text: string): Record<string, unknown> {
  const changed = Object.entries(args).map(([name, value]) => [
    name,
    typeof value === 'string'
      ? text
      : name === 'edits'
        ? [{ old_string: text, new_string: text }]
        : name === 'set'
          ? { [text]: text }
          : name === 'tags'
            ? [text]
            : value,
  ]);
  return Object.fromEntries(
    changed.filter(([name]) => typeof name === 'string' && name !== 'line'),
  );
}
