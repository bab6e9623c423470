/**
 * What docs/notes.md says of the results and the refusals of each tool, compared with what the
 * tools do. `notesBench` refuses what the reference does not name; here is shown what it does name.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { GitSettings } from '../../src/notes/vaults/vault.ts';
import { cleaner, type NotesProcess, runNotes, startNotes } from '../support/notes/notes.ts';
import { type NotesBench, notesBench } from '../support/notes/notes-tools.ts';
import { REFERENCE, TOOL_ROWS, WRITE } from '../support/notes/tool-reference.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TESTS = globSync(['src/notes/**/*.test.ts', 'test/notes/!(reference).test.ts'], {
  cwd: ROOT,
}).map((file) => readFileSync(resolve(ROOT, file), 'utf8'));
const GIT: GitSettings = { author: { name: 'ada', email: 'ada@example.com' } };
const PNG = Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1').toString('base64');
const BROKEN = '---\na: [\n---\n';
const KEY = 'key-of-16-letters';
const NO_COMMIT = '0'.repeat(40);
/** Stopping it ends its thread, so a call with it gets a separate vault. */
const NEVER_ENDS = '(a+)+$';

const FILES = {
  '.notes/instructions.md': 'One idea a note.\n',
  'a.md':
    '---\ntags: [x]\n---\n# A\n\n## One\n\n[[b]] [[nowhere]] [[dup]]\n\n- [ ] water 📅 2026-01-02\n',
  'b.md': '# B\n\nhello [[a#One]]\n\n## Two\n\nmore\n',
  'twin.md': '# T\n\n## X\n\n## X\n',
  'f/dup.md': '# Dup\n\nhello\n',
  'g/dup.md': '# Dup\n\nhello again\n',
  'long.md': `${'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n'.repeat(40)}`,
  'broken.md': BROKEN,
  'many.md': Array.from({ length: 101 }, (_, n) => `## ${n}\n`).join('\n'),
  'attachments/p.bin': Buffer.from([0, 1, 2]),
};

type Arguments = object | ((bench: NotesBench) => Promise<object>);

/** A refusal that the reference names, and a call that is refused so. */
const refusals: [tool: string, code: string, args: Arguments, git?: GitSettings][] = [
  ['note_read', 'heading_not_found', { path: 'a', heading: 'None' }],
  ['note_read', 'heading_ambiguous', { path: 'twin.md', heading: 'X' }],
  ['note_read', 'revision_not_found', { path: 'a', revision: NO_COMMIT }, GIT],
  ['note_read', 'versioning_off', { path: 'a', revision: NO_COMMIT }],
  ['vault_grep', 'regex_invalid', { pattern: '(', regex: true }],
  ['vault_grep', 'regex_timeout', async () => ({ pattern: NEVER_ENDS, regex: true })],
  ['note_history', 'versioning_off', {}],
  ['note_history', 'revision_not_found', { from: NO_COMMIT }, GIT],
  [
    'note_capture',
    'heading_ambiguous',
    async (bench) => {
      await bench.call('note_create', { path: 'inbox', content: '# X\n\n# X\n' });
      return { text: 'x', heading: 'X' };
    },
  ],
  ['note_capture', 'frontmatter_invalid', { text: BROKEN, title: 'x', tags: ['t'] }],
  ['note_create', 'note_exists', { path: 'A' }],
  ['note_create', 'frontmatter_invalid', { path: 'new', content: BROKEN, tags: ['t'] }],
  ['note_edit', 'text_not_found', { path: 'b', edits: [{ old_string: 'none', new_string: '' }] }],
  ['note_edit', 'text_not_unique', { path: 'b', edits: [{ old_string: 'l', new_string: '' }] }],
  ['note_section_edit', 'heading_not_found', { path: 'a', mode: 'delete_section', heading: 'On' }],
  [
    'note_section_edit',
    'heading_ambiguous',
    { path: 'twin', mode: 'delete_section', heading: 'X' },
  ],
  ['note_frontmatter', 'frontmatter_invalid', { path: 'broken', set: { k: 1 } }],
  ['task_toggle', 'task_changed', { path: 'a', line: 10, expected_text: 'fire' }],
  ['note_restore', 'trash_expired', { trash_id: '20200101T000000000Z-00000000' }],
  [
    'note_restore',
    'note_exists',
    async (bench) => {
      const { trash_id } = await bench.call('note_delete', { path: 'b' });
      return { trash_id, to: 'a.md' };
    },
  ],
  ['note_restore', 'revision_not_found', { path: 'a', revision: NO_COMMIT }, GIT],
  ['note_restore', 'versioning_off', { path: 'a', revision: NO_COMMIT }],
  [
    'change_undo',
    'undo_conflict',
    async (bench) => {
      const { change_id } = await bench.call('note_capture', { text: 'x' });
      await bench.call('note_capture', { text: 'y' });
      return { change_id };
    },
  ],
  ['change_undo', 'undo_expired', { change_id: '9-9-00000000' }],
  ['attachment_put', 'type_refused', { path: 'p.svg', data: btoa('<svg/>') }],
  [
    'attachment_put',
    'note_exists',
    async (bench) => {
      await bench.call('attachment_put', { path: 'p.png', data: PNG });
      return { path: 'p.png', data: Buffer.from(`${atob(PNG)}1`, 'latin1').toString('base64') };
    },
  ],
  ['vault_create', 'vault_exists', { name: 'default' }],
  ['vault_create', 'vault_name_invalid', { name: 'Work' }],
  ['vault_create', 'remote_needs_vault', { name: 'work' }, { ...GIT, remote: '/nowhere.git' }],
  ['note_move', 'note_exists', { path: 'a', to: 'b' }],
  ['note_merge', 'frontmatter_invalid', { path: 'a', into: 'broken' }],
  [
    'note_split',
    'note_exists',
    async (bench) => {
      await bench.call('note_create', { path: 'Two', content: 'x' });
      return { path: 'b', level: 2 };
    },
  ],
  ['note_split', 'heading_not_found', { path: 'a', level: 6 }],
  ['note_split', 'heading_ambiguous', { path: 'twin.md', heading: 'X' }],
  ['note_split', 'limit_exceeded', { path: 'many', level: 2 }],
  ['vault_replace', 'plan_stale', { pattern: 'more', replace: '', dry_run: false, plan_hash: 'x' }],
  ['vault_replace', 'limit_exceeded', { pattern: 'a', replace: 'b', limit: 1 }],
  ['vault_replace', 'regex_invalid', { pattern: '(', replace: '', kind: 'regex' }],
  [
    'vault_replace',
    'regex_timeout',
    async () => ({ pattern: NEVER_ENDS, replace: '', kind: 'regex' }),
  ],
];

describe('a refusal that the reference names of a tool', { concurrency: 4 }, () => {
  const suite = cleaner();
  const shared = new Map<GitSettings | undefined, Promise<NotesBench>>();
  after(() => suite.clean());

  /** What is refused at once changes nothing, so such calls share a vault. */
  const benchFor = (git: GitSettings | undefined) => {
    const bench = shared.get(git) ?? notesBench(suite, options(git));
    shared.set(git, bench);
    return bench;
  };
  const options = (git: GitSettings | undefined) => ({ files: FILES, ...(git && { git }) });

  for (const [tool, code, args, git] of refusals) {
    test(`${tool} gives ${code}`, async (context) => {
      const isOwn = typeof args === 'function';
      const bench = await (isOwn ? notesBench(context, options(git)) : benchFor(git));
      const given = isOwn ? await args(bench) : args;
      assert.equal((await bench.refusal(tool, given)).code, code);
    });
  }

  test('has its row here, or is in a test of the tool', () => {
    const named = TOOL_ROWS.flatMap(({ tool, codes }) =>
      codes.map((code) => [tool, code] as const),
    );
    const shown = refusals.map(([tool, code]) => `${tool} ${code}`);
    const missing = named.filter(
      ([tool, code]) => !shown.includes(`${tool} ${code}`) && !testsOf(tool).includes(`'${code}'`),
    );
    assert.ok(named.length > 30, `${named.length}`);
    assert.deepEqual(missing, []);
  });
});

/** Calls one after the other on one vault; what they give has every member that is named. */
async function* answers(bench: NotesBench): AsyncGenerator<[tool: string, result: object]> {
  const call = async (tool: string, args: object = {}) => {
    const result = await bench.call(tool, args);
    return [tool, result] as [string, typeof result];
  };
  yield call('vault_list');
  yield call('vault_stats', { prefix: 'f' });
  yield call('note_search', { query: 'hello zebra' });
  yield call('note_read', { path: 'a' });
  yield call('note_read', { path: 'a', view: 'outline' });
  yield call('note_read', { path: 'broken', view: 'full' });
  yield call('note_read', { path: 'attachments/p.bin' });
  yield call('note_read', { path: 'long', max_chars: 1000 });
  yield call('note_read', { paths: ['a', 'none'] });
  yield call('note_list');
  yield call('note_list', { kind: 'folder' });
  yield call('vault_grep', { pattern: 'hello', context: 1 });
  yield call('note_links', { path: 'a' });
  yield call('note_related', { path: 'a' });
  yield call('tag_list');
  yield call('task_list');
  yield call('vault_review');
  const captured = await call('note_capture', { text: 'x' });
  yield captured;
  const created = await call('note_create', { path: 'bb', content: 'x' });
  yield created;
  await bench.open.vault.git?.settled();
  yield call('note_history');
  yield call('note_history', { path: 'bb' });
  yield call('note_history', { to: created[1].change_id });
  const [, { revisions }] = await call('note_history', { path: 'a' });
  yield call('note_read', { path: 'a', revision: revisions[0].commit });
  const { content_hash } = created[1];
  yield call('note_write', { path: 'bb', content: 'y', content_hash });
  yield call('note_edit', { path: 'b', edits: [{ old_string: 'more', new_string: 'less' }] });
  yield call('note_section_edit', { path: 'b', mode: 'move_section', heading: 'Two', to: 'bb.md' });
  yield call('note_section_edit', { path: 'a', mode: 'rename_heading', heading: 'One', to: '1' });
  yield call('note_frontmatter', { path: 'a', set: { k: 1 } });
  yield call('task_toggle', { path: 'a', text: 'water 📅 2026-01-02' });
  const deleted = await call('note_delete', { path: 'bb' });
  yield deleted;
  yield call('note_history', { deleted: true });
  yield call('note_restore', { trash_id: deleted[1].trash_id });
  yield call('change_undo', { change_id: captured[1].change_id });
  yield call('attachment_put', { path: 'p.png', data: PNG });
  yield call('vault_create', { name: 'work', layout: 'wiki' });
  yield call('note_move', { path: 'b', to: 'c' });
  yield call('note_split', { path: 'a', level: 2 });
  yield call('note_merge', { path: 'c', into: 'a' });
  for (let count = 0; count < 40; count++) await bench.put(`r/${count}.md`, 'replaced\n');
  yield call('vault_replace', { pattern: 'replaced', replace: 'new' });
}

function keysOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [key, ...keysOf(part)]);
}

test('every member that the reference names is in a result, or in a test of the tool', async (context) => {
  const bench = await notesBench(context, { files: FILES, git: GIT });
  const seen = new Map<string, Set<string>>();
  for await (const [tool, result] of answers(bench)) {
    seen.set(tool, (seen.get(tool) ?? new Set()).union(new Set(keysOf(result))));
    const row = TOOL_ROWS.find((one) => one.tool === tool)!;
    if (row.isWrite)
      assert.deepEqual(
        WRITE.filter((member) => !(member in result)),
        [],
        tool,
      );
  }
  assert.deepEqual(TOOL_ROWS.map(({ tool }) => tool).sort(), [...bench.tools.keys()].sort());
  for (const { tool, members } of TOOL_ROWS) {
    const due = members.filter((member) => !seen.get(tool)?.has(member));
    const missing = due.filter((member) => !new RegExp(`\\b${member}\\b`).test(testsOf(tool)));
    assert.deepEqual(missing, [], `${tool} does not give what is named`);
  }
});

/** The sources of the other tests that call a tool. */
function testsOf(tool: string): string {
  return TESTS.filter((source) => source.includes(`'${tool}'`)).join('\n');
}

describe('a running server', () => {
  const suite = cleaner();
  let notes: NotesProcess;
  before(async () => {
    const env = { NOTES_METRICS: 'true', NOTES_METRICS_KEY: KEY, NOTES_GIT: 'true' };
    const remote = { NOTES_GIT_REMOTE: '/nowhere/{vault}.git', NOTES_UNKNOWN: 'x' };
    notes = await startNotes(suite, { env: { ...env, ...remote } });
    await fetch(`${notes.url}/mcp`);
    await notes.call('note_create', { path: 'a', content: 'a\n' });
    await notes.call('note_read', { path: 'none' });
    await notes.rpc('resources/read', { uri: 'notes://default/a.md' });
    await runNotes(['reindex'], { env: { NOTES_DATA: notes.data } });
    await notes.line(({ event }) => event === 'git_push_failed');
  });
  after(() => suite.clean());

  test('serves every path of the table of endpoints', async () => {
    const table = /\| method and path \| \|\n([\s\S]*?)\n\n/.exec(REFERENCE)![1]!;
    const paths = [...table.matchAll(/`(GET|POST|DELETE) (\/\S*)`/g)];
    assert.ok(paths.length >= 12, `${paths.length}`);
    for (const [, method, path] of paths) {
      const headers = { accept: 'text/html,application/json;q=0.5' };
      const { status } = await fetch(`${notes.url}${path}`, { method: method!, headers });
      assert.notEqual(status, 404, `${method} ${path}`);
    }
  });

  test('writes no field that the table of events does not name', () => {
    const fields = named('| event | fields |');
    const lines = notes.lines();
    assert.ok(new Set(lines.map(({ event }) => event)).size >= 10);
    for (const { ts: _, level: __, event, ...line } of lines) {
      const other = Object.keys(line).filter((field) => !fields.get(event)?.includes(field));
      assert.deepEqual(other, [], event);
    }
  });

  test('labels its metrics as the table says', async () => {
    const labels = named('| metric | labels | what it counts or shows |');
    const headers = { authorization: `Bearer ${KEY}` };
    const text = await (await fetch(`${notes.url}/metrics`, { headers })).text();
    const shown = [...text.matchAll(/^((?:notes|gatehouse)_\w+)\{([^}]*)\}/gm)];
    const seen = new Set<string>();
    for (const [, sample, list] of shown) {
      const name = labels.has(sample!) ? sample! : sample!.replace(/_(bucket|sum|count)$/, '');
      const own = [...list!.matchAll(/(\w+)="/g)].map(([, label]) => label!);
      assert.deepEqual(own.filter((label) => label !== 'le').sort(), labels.get(name), sample);
      seen.add(name);
    }
    // Nothing has been pushed, so there is no moment of the last push; the decoys are off here, and
    // their metrics are shown by test/decoys/metrics.test.ts.
    const missing = [...labels.keys()].filter((name) => !seen.has(name));
    const [push, ...ofDecoys] = missing;
    assert.equal(push, 'notes_git_last_push_timestamp_seconds');
    assert.ok(
      ofDecoys.every((name) => /^gatehouse_(?:decoy|honeytoken)_/.test(name)),
      `${ofDecoys}`,
    );
  });
});

/** The names in the second cell of a table, sorted, by each name in the first. */
function named(header: string): Map<string, string[]> {
  const table = REFERENCE.slice(REFERENCE.indexOf(header)).split('\n\n')[0]!;
  const spans = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, span]) => span!);
  return new Map(
    table.split('\n').flatMap((line) => {
      const [, first, second] = line.split('|');
      return spans(first).map((name): [string, string[]] => [name, spans(second).sort()]);
    }),
  );
}
