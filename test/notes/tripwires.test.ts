/** Canary notes: what trips them and what does not, the command that makes them, and `freeze`. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Caller } from '../../src/core/http/caller.ts';
import { Canaries } from '../../src/notes/canaries/canaries.ts';
import { resourceUri } from '../../src/notes/resource-uri.ts';
import { notesResources } from '../../src/notes/resources.ts';
import { notesTools } from '../../src/notes/tools.ts';
import { signIn } from '../support/mcp/client.ts';
import {
  cleaner,
  type NotesProcess,
  PASSWORD,
  runNotes,
  startNotes,
  USERNAME,
} from '../support/notes/notes.ts';
import { recordingLog } from '../support/notes/notes-storage.ts';
import { type NotesBench, notesBench } from '../support/notes/notes-tools.ts';
import { linesOf } from '../support/programs/program.ts';

const CANARY = 'Private/Server passwords.md';
const FILES = {
  [CANARY]: '# Server passwords\n\nThe vault of the zebra is 4711. [[a]]\n\n- [ ] rotate #ops\n',
  'a.md': '# A\n\nNothing of interest. [[Server passwords]]\n',
  '.notes/canaries': `# made with notes canary\n${CANARY}\n`,
};

interface Hit {
  readonly vault: string;
  readonly path: string;
  readonly tool: string;
}

const suite = cleaner();
let bench: NotesBench;
let hits: Hit[];
let call: (tool: string, args: object) => Promise<unknown>;
let read: (uri: string) => Promise<unknown>;
before(async () => {
  bench = await notesBench(suite, { files: FILES, git: { author: { name: 'a', email: 'a@b' } } });
  hits = [];
  const { log } = recordingLog();
  const { vaults } = bench;
  const alarm = {
    hit: async (_user: unknown, _origin: unknown, what: object) => void hits.push(what as Hit),
  };
  const parts = { vaults, log, now: () => new Date(), canaries: new Canaries(vaults, alarm, log) };
  const tools = new Map(notesTools(parts).map((tool) => [tool.name, tool]));
  const caller: Caller = { user: 'ada', incarnation: '1', clientId: 'test', signInId: 's' };
  const context = { caller, onCancelled() {}, onSent() {}, progress() {} };
  call = async (tool, args) => tools.get(tool)!.call(args, context as never);
  read = async (uri) => notesResources(parts).read(uri, caller);
});
after(() => suite.clean());

for (const [tool, args] of [
  ['note_read', { path: CANARY }],
  ['note_read', { path: 'server PASSWORDS' }],
  ['note_read', { paths: ['a.md', CANARY] }],
  ['note_read', { path: CANARY, view: 'outline' }],
  ['note_read', { path: CANARY, lines: '1-1' }],
  ['note_search', { query: 'zebra' }],
  ['vault_grep', { pattern: '4711' }],
  ['vault_replace', { pattern: 'zebra', replace: 'x' }],
  ['note_move', { path: CANARY, to: 'other.md', dry_run: true }],
  ['note_move', { path: 'Private', to: 'Other', dry_run: true }],
  ['note_delete', { path: CANARY, dry_run: true }],
  ['note_edit', { path: CANARY, edits: [{ old_string: '4711', new_string: '4' }], dry_run: true }],
  ['note_create', { path: 'new.md', template: 'server passwords', dry_run: true }],
  [
    'note_section_edit',
    { path: 'a.md', heading: 'A', mode: 'move_section', to: CANARY, dry_run: true },
  ],
  ['note_frontmatter', { notes: { prefix: 'Private' }, set: { a: 'b' }, dry_run: true }],
] as const) {
  test(`${tool} ${JSON.stringify(args)} delivers the canary`, async () => {
    hits.length = 0;
    const answer = (await call(tool, args)) as { isError?: boolean };
    assert.ok(!answer.isError, JSON.stringify(answer));
    assert.equal(hits.length, 1);
    assert.deepEqual([hits[0]!.vault, hits[0]!.tool], ['default', tool]);
  });
}

test('so does reading it as a resource', async () => {
  hits.length = 0;
  await read(resourceUri('default', 'a.md'));
  assert.equal(hits.length, 0);
  await read(resourceUri('default', CANARY));
  assert.deepEqual(hits, [
    { site: 'notes', vault: 'default', path: CANARY, tool: 'resources/read' },
  ]);
});

for (const [tool, args] of [
  ['note_read', { path: 'a.md' }],
  ['note_read', { paths: ['a.md', 'Private/none.md'] }],
  ['note_search', { query: 'interest' }],
  ['note_list', {}],
  ['note_list', { prefix: 'Private/' }],
  ['note_list', { tags: ['ops'] }],
  ['note_links', { path: 'a.md', direction: 'both' }],
  ['note_links', { path: CANARY, direction: 'both' }],
  ['note_related', { path: 'a.md' }],
  ['tag_list', {}],
  ['task_list', {}],
  ['vault_review', {}],
  ['vault_stats', {}],
  ['vault_list', {}],
  ['note_history', { path: CANARY }],
] as const) {
  test(`${tool} ${JSON.stringify(args)} does not`, async () => {
    hits.length = 0;
    await call(tool, args);
    assert.deepEqual(hits, []);
  });
}

test('no tool reads the list of the canaries', async () => {
  const answer = (await call('note_read', { path: '.notes/canaries' })) as { isError?: boolean };
  assert.equal(answer.isError, true);
  assert.equal(await read(resourceUri('default', '.notes/canaries')), undefined);
});

describe('a server', () => {
  let server: NotesProcess;
  before(async () => {
    const { '.notes/canaries': _, ...notes } = FILES;
    const files = Object.fromEntries(
      Object.entries(notes).map(([path, text]) => [`default/${path}`, text]),
    );
    server = await startNotes(suite, { files, env: { NOTES_ON_TRIPWIRE: 'freeze' } });
    await server.indexed();
  });

  const canary = (path: string, ...more: string[]) =>
    runNotes(['canary', path, ...more], { env: { NOTES_DATA: server.data } });

  test('the command makes a canary of a note, once, and of nothing else', async () => {
    const made = await canary(CANARY);
    assert.deepEqual([made.code, made.stdout], [0, `${CANARY} of default is a canary\n`]);
    assert.equal((await canary(CANARY)).stdout, `${CANARY} of default is a canary already\n`);
    const list = join(server.data, 'default/.notes/canaries');
    assert.equal(readFileSync(list, 'utf8'), `${CANARY}\n`);
    for (const [path, more, message] of [
      ['none.md', [], /is no note of default/],
      ['../x.md', [], /\.\./],
      ['.notes/canaries', [], /hidden|dot/],
      [CANARY, ['--vault', 'none'], /there is no vault none/],
    ] as const) {
      const { code, stderr } = await canary(path, ...more);
      assert.equal(code, 1);
      assert.match(stderr, message);
    }
    writeFileSync(list, `# ours\r\n\r\n${CANARY.toUpperCase()}\r\n`);
  });

  test('a hit ends that sign-in alone, and tells its last calls', async () => {
    const other = await signIn(server.url, USERNAME, PASSWORD);
    const token = await server.token();
    await server.call('note_list');
    const answer = await server.call('note_read', { path: CANARY });
    assert.match(JSON.stringify(answer), /zebra/);
    const [hit] = await linesOf(server, ['tripwire_hit'], 1);
    const { user, vault, path, tool, action, calls } = hit as unknown as Hit & {
      user: string;
      action: string;
      calls: { tool: string }[];
    };
    assert.deepEqual(
      [user, vault, path, tool, action],
      [USERNAME, 'default', CANARY, 'note_read', 'frozen'],
    );
    assert.equal(calls.at(-1)?.tool, 'note_list');
    const ping = (bearer: string) =>
      fetch(`${server.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${bearer}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      }).then(({ status }) => status);
    assert.equal(await ping(token), 401);
    assert.notEqual(await ping(other.accessToken), 401);
  });
});
