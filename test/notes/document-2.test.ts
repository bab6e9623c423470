/** docs/notes.md, rule by rule and symptom by symptom, where no other file shows it. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { signIn } from '../support/mcp/client.ts';
import {
  cleaner,
  type NotesProcess,
  PASSWORD,
  runNotes,
  startNotes,
  USERNAME,
} from '../support/notes/notes.ts';
import { until } from '../support/notes/notes-storage.ts';
import { freePort } from '../support/programs/free-port.ts';

const METRICS_KEY = 'key-of-16-characters';
const VAULTS = ['a', '0', 'a-b_c', `v${'x'.repeat(63)}`];
const NO_VAULTS = ['Upper', '-a', '_a', '.hidden', 'a b', `v${'x'.repeat(64)}`];

const suite = cleaner();
/** As plain as can be, but for metrics on a listener of their own. */
let notes: NotesProcess;
let metricsPort: number;
/** Its password is a hash, as hashpw makes it; it is behind a proxy, and has many directories. */
let other: NotesProcess;
let hash: string;
before(async () => {
  metricsPort = await freePort();
  const env = {
    NOTES_PASSWORD: PASSWORD,
    NOTES_METRICS: 'true',
    NOTES_METRICS_KEY: METRICS_KEY,
    NOTES_METRICS_LISTEN: `:${metricsPort}`,
  };
  const deep = { 'deep/export/a.md': 'a', 'deep/export/b.md': 'b' };
  notes = await startNotes(suite, { env, files: { 'default/a.md': '# Apple\n', ...deep } });
  hash = (await runNotes(['hashpw'], { input: 'hunter2 hunter2\n' })).stdout.trim();
  other = await startNotes(suite, {
    env: {
      NOTES_PASSWORD: hash,
      NOTES_PUBLIC_URL: 'https://notes.example.com/',
    },
    files: Object.fromEntries([...VAULTS, ...NO_VAULTS].map((name) => [`${name}/n.md`, 'n'])),
  });
  await notes.indexed();
});
after(() => suite.clean());

describe('/mcp without a valid token', () => {
  for (const method of ['POST', 'GET', 'DELETE']) {
    for (const [what, authorization] of [
      ['no token', undefined],
      ['a wrong token', 'Bearer wrong'],
      ['the password itself', `Bearer ${PASSWORD}`],
      ['basic authentication', `Basic ${btoa(`${USERNAME}:${PASSWORD}`)}`],
    ] as const) {
      test(`${method} with ${what} is 401 with a WWW-Authenticate header`, async () => {
        const headers = authorization ? { authorization } : undefined;
        const answer = await fetch(`${notes.url}/mcp`, { method, ...(headers && { headers }) });
        assert.equal(answer.status, 401);
        const metadata = `${notes.url}/.well-known/oauth-protected-resource/mcp`;
        const challenge = answer.headers.get('www-authenticate') ?? '';
        assert.ok(challenge.startsWith('Bearer '), challenge);
        assert.ok(challenge.includes(`resource_metadata="${metadata}"`), challenge);
        assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
      });
    }
  }

  test('is logged with the address and without the token', async () => {
    const url = `${notes.url}/mcp`;
    await fetch(url, { headers: { authorization: 'Bearer guessed-token' } });
    const line = await notes.line(
      ({ event, error }) => event === 'request' && error === 'unauthorized',
    );
    assert.deepEqual([line.user, line.url, line.status, line.ip], [null, url, 401, '127.0.0.1']);
    assert.ok(!notes.stdout().includes('guessed-token'));
  });

  test('is logged for a foreign origin, without the fields of the gateway', async () => {
    await fetch(`${notes.url}/mcp`, { headers: { origin: 'https://evil.example' } });
    const { ts: _, ...line } = await notes.line(
      ({ event, error }) => event === 'request' && error === 'forbidden_origin',
    );
    assert.deepEqual(line, {
      level: 'warn',
      event: 'request',
      user: null,
      client_id: null,
      method: 'GET',
      url: `${notes.url}/mcp`,
      status: 403,
      error: 'forbidden_origin',
      ip: '127.0.0.1',
    });
  });
});

test('the discovery documents derive from the public URL, whatever host was asked', async () => {
  const resource = await fetch(`${other.url}/.well-known/oauth-protected-resource`);
  const about = (await resource.json()) as Record<string, unknown>;
  assert.equal(about.resource, 'https://notes.example.com/mcp');
  assert.deepEqual(about.authorization_servers, ['https://notes.example.com']);
  const server = await fetch(`${other.url}/.well-known/oauth-authorization-server`);
  const { token_endpoint, authorization_endpoint, registration_endpoint } =
    (await server.json()) as Record<string, unknown>;
  assert.equal(token_endpoint, 'https://notes.example.com/token');
  assert.equal(authorization_endpoint, 'https://notes.example.com/authorize');
  assert.equal(registration_endpoint, 'https://notes.example.com/register');
});

describe('signing in', () => {
  test('the name and the password of the environment, and no other, open the door', async () => {
    const { accessToken } = await signIn(notes.url, USERNAME, PASSWORD);
    assert.ok(accessToken);
    await assert.rejects(signIn(notes.url, USERNAME, `${PASSWORD} `), /signing in failed: 401/);
    await assert.rejects(signIn(notes.url, 'Ada', PASSWORD), /signing in failed: 401/);
    await assert.rejects(signIn(notes.url, '', PASSWORD), /signing in failed: 401/);
  });

  test('also where the password is a hash, as hashpw makes it', async () => {
    assert.ok((await signIn(other.url, USERNAME, 'hunter2 hunter2')).accessToken);
    await assert.rejects(signIn(other.url, USERNAME, hash), /failed: 401/);
  });

  test('too many attempts are refused for a while', async (context) => {
    const limited = await startNotes(context, { env: { NOTES_LOGIN_RATE_LIMIT: '2/h' } });
    for (const status of [401, 401, 429]) {
      await assert.rejects(signIn(limited.url, USERNAME, 'wrong'), new RegExp(`failed: ${status}`));
    }
  });

  test('every step is a line of the log, and the password in none', async () => {
    await assert.rejects(signIn(notes.url, PASSWORD, 'wrong'));
    for (const event of ['client_registered', 'login_success', 'token_issued', 'login_failed']) {
      await notes.line((line) => line.event === event, event);
    }
    assert.ok(!notes.stdout().includes(PASSWORD));
  });
});

describe('a symptom and what tells its cause', () => {
  test('search finds nothing after import: vault_stats says that a build still runs', async (context) => {
    const files = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, n) => [
        `default/${n}.md`,
        `# ${n}\n\n${'lorem ipsum dolor sit amet '.repeat(40)}`,
      ]),
    );
    const big = await startNotes(context, { files });
    await big.indexed();
    await big.call('vault_stats');
    // The first build may be over before anybody can sign in; one that is asked for is the same.
    const reindexed = runNotes(['reindex'], { env: { NOTES_DATA: big.data } });
    await big.line(({ event }) => event === 'reindex_started');
    const { value: during } = await big.call('vault_stats');
    assert.equal(during.index.state, 'building');
    assert.ok(during.index.indexed < 2_000);
    await reindexed;
    const { value: afterwards } = await big.call('vault_stats');
    assert.deepEqual(afterwards.index, {
      state: 'ready',
      indexed: 2_000,
      on_disk: 2_000,
      skipped: 0,
    });
  });

  test('search finds nothing after import: vault_stats shows notes one directory too deep', async () => {
    const { value } = await notes.call('vault_stats', { vault: 'deep' });
    assert.deepEqual(value.depth, { 1: 2 });
    assert.equal(value.index.on_disk, 2);
  });

  test('an edit from outside is found without being asked for', async () => {
    writeFileSync(join(notes.data, 'default/new.md'), '# Persimmon\n');
    await until(async () => {
      const { value } = await notes.call('note_search', { query: 'persimmon' });
      return value.hits.length === 1;
    });
  });

  test('/metrics on the public URL is 404 where a separate listener is configured', async () => {
    const headers = { authorization: `Bearer ${METRICS_KEY}` };
    assert.equal((await fetch(`${notes.url}/metrics`, { headers })).status, 404);
    assert.equal((await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { headers })).status, 200);
  });

  test('pushes to the remote fail: the write succeeds, the commit is made, vault_stats says why', async (context) => {
    const env = { NOTES_GIT: 'true', NOTES_GIT_REMOTE: '/nowhere/{vault}.git' };
    const failing = await startNotes(context, { env });
    const { isError, value } = await failing.call('note_create', { path: 'a.md', content: 'a\n' });
    assert.deepEqual([isError, value.path], [false, 'a.md']);
    await failing.line(({ event }) => event === 'git_push_failed');
    await until(async () => {
      const { value: stats } = await failing.call('vault_stats');
      return stats.git.head !== null && stats.git.unpushed > 0 && stats.git.last_error !== null;
    });
  });
});

test('directories that begin with a dot are read by no tool', async () => {
  mkdirSync(join(notes.data, 'default/.secret'), { recursive: true });
  writeFileSync(join(notes.data, 'default/.secret/a.md'), 'loganberry');
  for (const path of ['.secret/a.md', '.notes/index.db', '.git/config', '../.notes.lock']) {
    const { isError, value } = await notes.call('note_read', { path });
    assert.ok(isError, path);
    assert.match(value.code, /^path_(hidden|invalid)$/, path);
  }
  const { value } = await notes.call('vault_grep', { pattern: 'loganberry' });
  assert.deepEqual(value.matches, []);
});

test('a note without frontmatter is given none, and one with it keeps every byte', async () => {
  const front = '---\ntitle:   "x"   # mine\nupdated: 2020-01-01\n---\n\n# H\n\nold\n';
  writeFileSync(join(notes.data, 'default/front.md'), front);
  writeFileSync(join(notes.data, 'default/bare.md'), '# H\n\nold\n');
  for (const path of ['front.md', 'bare.md']) {
    const edits = [{ old_string: 'old', new_string: 'new' }];
    const { isError } = await notes.call('note_edit', { path, edits });
    assert.equal(isError, false);
  }
  const text = (path: string) => readFileSync(join(notes.data, 'default', path), 'utf8');
  assert.equal(text('front.md'), front.replace('old', 'new'));
  assert.equal(text('bare.md'), '# H\n\nnew\n');
});

test('names of vaults are those of docs/notes.md; other directories are none', async () => {
  const startup = await other.line(({ event }) => event === 'startup');
  assert.deepEqual(startup.vaults, VAULTS.toSorted());
});

test('a line of the log never holds the content of a note', async () => {
  appendFileSync(join(notes.data, 'default/a.md'), 'boysenberry\n');
  await notes.call('note_read', { path: 'a.md' });
  await notes.call('note_create', { path: 'z.md', content: 'boysenberry\n' });
  assert.ok(!notes.stdout().includes('boysenberry'));
});
