/** Metrics: off unless switched on, behind a key, on a listener of their own where there is one. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { submitLogin } from '../support/mcp/client.ts';
import {
  cleaner,
  dataDirectory,
  type NotesProcess,
  notesEnvironment,
  PASSWORD,
  runNotes,
  startNotes,
} from '../support/notes/notes.ts';
import { until } from '../support/notes/notes-storage.ts';
import { freePort } from '../support/programs/free-port.ts';
import { parseLines } from '../support/programs/program.ts';

const KEY = 'key-of-the-metrics';
const ON = { NOTES_METRICS: 'true', NOTES_METRICS_KEY: KEY };

function scrape(base: string, authorization?: string): Promise<Response> {
  return fetch(`${base}/metrics`, { headers: authorization ? { authorization } : {} });
}

test('unless they are switched on there are none', async (context) => {
  const notes = await startNotes(context, { env: { NOTES_METRICS_KEY: KEY } });
  assert.equal((await scrape(notes.url, `Bearer ${KEY}`)).status, 404);
  const warning = await notes.line(({ event }) => event === 'config_error');
  assert.match(String(warning.message), /NOTES_METRICS_KEY: does nothing unless NOTES_METRICS/);
});

test('without a listener of their own they are on the public one, behind the key', async (context) => {
  const notes = await startNotes(context, { env: ON });
  assert.equal((await scrape(notes.url)).status, 401);
  assert.equal((await scrape(notes.url, `Bearer ${KEY}`)).status, 200);
});

for (const [what, env] of [
  ['no key', { NOTES_METRICS: 'true' }],
  ['a key of 15 characters', { ...ON, NOTES_METRICS_KEY: 'x'.repeat(15) }],
] as const) {
  test(`with ${what} the start is refused, and the key is in no line`, async (context) => {
    const env2 = { ...notesEnvironment(dataDirectory(context)), ...env };
    const { code, stdout, stderr } = await runNotes([], { env: env2 });
    assert.equal(code, 1);
    assert.match(stderr, /^environment: NOTES_METRICS_KEY: .*at least 16 characters\n$/);
    assert.equal(parseLines(stdout).length, 1);
    assert.ok(!(stdout + stderr).includes('xxx'));
  });
}

test('a key of 16 characters is long enough', async (context) => {
  const key = 'x'.repeat(16);
  const notes = await startNotes(context, { env: { ...ON, NOTES_METRICS_KEY: key } });
  assert.equal((await scrape(notes.url, `Bearer ${key}`)).status, 200);
});

describe('with a listener of their own', () => {
  let notes: NotesProcess;
  let base: string;
  let metricsPort: number;
  const suite = cleaner();
  before(async () => {
    metricsPort = await freePort();
    base = `http://127.0.0.1:${metricsPort}`;
    const remote = dataDirectory(suite);
    execFileSync('git', ['init', '--quiet', '--bare', join(remote, 'r.git')]);
    notes = await startNotes(suite, {
      files: { 'default/a.md': '# One two\n', 'work/b.md': 'three\n' },
      env: {
        ...ON,
        // Of the form that docs/notes.md gives.
        NOTES_METRICS_LISTEN: `:${metricsPort}`,
        NOTES_GIT: 'true',
        NOTES_GIT_REMOTE: `${remote}/{vault}.git`,
      },
    });
    await notes.indexed();
  });
  after(() => suite.clean());

  test('they are there and nowhere else, and nothing else is there', async () => {
    assert.equal((await scrape(notes.url, `Bearer ${KEY}`)).status, 404);
    assert.equal((await scrape(base, `Bearer ${KEY}`)).status, 200);
    for (const path of ['/mcp', '/authorize', '/token', '/healthz', '/']) {
      assert.equal((await fetch(base + path)).status, 404, path);
    }
  });

  test('the 404 of /metrics is that of any other path', async () => {
    const [one, other] = await Promise.all(
      ['/metrics', '/nothing'].map(async (path) => {
        const answer = await fetch(notes.url + path);
        return [answer.status, await answer.text()];
      }),
    );
    assert.deepEqual(one, other);
  });

  const wrong = [undefined, 'Bearer', 'Bearer wrong', `Bearer ${KEY}x`, `Basic ${KEY}`, KEY];
  for (const authorization of wrong) {
    test(`401 with ${authorization?.replace(KEY, '<key>') ?? 'no authorization'}`, async () => {
      const response = await scrape(base, authorization);
      assert.equal(response.status, 401);
      assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/);
      assert.doesNotMatch(await response.text(), /gatehouse_|notes_/);
    });
  }

  test('a token of the MCP endpoint is no key', async () => {
    assert.equal((await scrape(base, `Bearer ${await notes.token()}`)).status, 401);
  });

  test('every number moves with what it counts, and none tells a secret', async () => {
    await notes.call('note_create', { path: 'c.md', content: 'four five six\n' });
    await notes.call('note_create', { path: 'd.md', content: 'seven\n' });
    await notes.call('note_delete', { path: 'd.md' });
    await notes.call('note_read', { path: 'nowhere.md', vault: 'default' });
    await notes.call('note_read', { path: 'x', vault: 'a-vault-that-a-caller-made-up' });
    await fetch(`${notes.url}/nothing/at/all`);
    await fetch(`${notes.url}/mcp`, { method: 'POST' });
    await assert.rejects(login('wrong password'));
    const text = async () => (await scrape(base, `Bearer ${KEY}`)).text();
    await until(async () => /notes_git_pushes_total\{[^}]*failed"\} [1-9]/.test(await text()));
    const shown = await text();
    for (const sample of [
      'notes_tool_calls_total{tool="note_create",outcome="ok"} 2',
      'notes_tool_calls_total{tool="note_read",outcome="note_not_found"} 1',
      'notes_tool_calls_total{tool="note_read",outcome="vault_unknown"} 1',
      'notes_tool_call_duration_seconds_count{tool="note_create"} 2',
      'notes_logins_total{outcome="success"} 1',
      'notes_logins_total{outcome="failed"} 1',
      'notes_http_requests_total{method="GET",route="none",status="404"} 4',
      'notes_http_requests_total{method="POST",route="/mcp",status="401"} 1',
      'notes_vault_notes{vault="default"} 2',
      'notes_vault_notes{vault="work"} 1',
      'notes_vault_words{vault="work"} 1',
      'notes_index_indexed{vault="default"} 2',
      'notes_index_on_disk{vault="default"} 2',
      'notes_index_skipped{vault="default"} 0',
      'notes_index_state{vault="default",state="ready"} 1',
      'notes_index_state{vault="default",state="building"} 0',
      'notes_watcher_mode{vault="default",state="events"} 1',
      'notes_trash_entries{vault="default"} 1',
      'notes_trash_entries{vault="work"} 0',
      'notes_git_push_state{vault="default",state="failing"} 1',
      'gatehouse_events_total{event="startup"} 1',
    ]) {
      assert.ok(shown.includes(`${sample}\n`), `${sample}\n${shown}`);
    }
    assert.match(shown, /gatehouse_build_info\{program="notes",version="[^"]+"\} 1/);
    assert.match(shown, /process_resident_memory_bytes/);
    assert.match(shown, /notes_git_unpushed_commits\{vault="default"\} [1-9]/);
    assert.doesNotMatch(shown, /made-up/);
    for (const value of [KEY, PASSWORD, await notes.token()]) assert.ok(!shown.includes(value));
  });

  async function login(password: string): Promise<void> {
    const redirect = 'http://127.0.0.1:9/callback';
    const registration = await fetch(`${notes.url}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'test', redirect_uris: [redirect] }),
    });
    const { client_id } = (await registration.json()) as { client_id: string };
    const query = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri: redirect,
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    });
    await submitLogin(`${notes.url}/authorize?${query}`, 'ada', password);
  }
});
