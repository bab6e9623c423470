/** What the server must keep to itself, put where it might slip into a line: it is in none. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { signIn } from '../support/mcp/client.ts';
import { gitHttpServer } from '../support/notes/git-http.ts';
import { dataDirectory, PASSWORD, place, runNotes, startNotes } from '../support/notes/notes.ts';

const TOKEN = 'ghp_a-token-of-some-length';
const METRICS_KEY = 'metrics-key-of-some-length';
const DECOYS_KEY = 'decoys-key-of-some-length';
const SECRETS = [PASSWORD, TOKEN, METRICS_KEY, DECOYS_KEY];
const ENV = {
  NOTES_PASSWORD: PASSWORD,
  NOTES_GIT: 'true',
  NOTES_GIT_TOKEN: TOKEN,
  NOTES_METRICS: 'true',
  NOTES_METRICS_KEY: METRICS_KEY,
  NOTES_DECOYS_KEY: DECOYS_KEY,
  NOTES_LOG_LEVEL: 'debug',
};

function holdsNone(text: string, where: string): void {
  for (const secret of SECRETS) {
    for (const form of [secret, encodeURIComponent(secret), btoa(secret), JSON.stringify(secret)]) {
      assert.ok(!text.includes(form), `${where} holds ${form}`);
    }
  }
}

test('in names, paths, clients, remotes and refusals: no line holds a secret in any spelling', async (context) => {
  const remote = await gitHttpServer(context, dataDirectory(context), 'another-token');
  const env = { ...ENV, NOTES_GIT_REMOTE: `${remote.url}/${encodeURIComponent(PASSWORD)}.git` };
  const notes = await startNotes(context, { env });
  for (const secret of SECRETS) {
    const path = `${secret}.md`;
    await notes.call('note_create', { path, content: secret });
    await notes.call('note_read', { path: `nowhere/${secret}`, vault: 'default' });
    await notes.call('note_read', { path: 'x', vault: secret });
    await notes.call('note_search', { query: secret });
    await notes.rpc('tools/call', { name: secret, arguments: {} }).catch(() => {});
    await notes.rpc(secret).catch(() => {});
    await signIn(notes.url, secret, secret).catch(() => {});
    const userAgent = { 'user-agent': secret, 'x-forwarded-for': secret };
    const query = encodeURIComponent(secret);
    await fetch(`${notes.url}/.aws/credentials?${query}`, { headers: userAgent });
    await fetch(`${notes.url}/${query}`, { headers: { authorization: `Bearer ${secret}` } });
    await fetch(`${notes.url}/authorize?client_id=${query}&redirect_uri=${query}`);
  }
  await notes.line(({ event }) => event === 'git_push_failed');
  await notes.stop();
  assert.ok(notes.lines().length > 30);
  holdsNone(notes.stdout(), 'the log');
  holdsNone(notes.stderr(), 'standard error');
});

test('in a data directory named after one, a refusal to start does not tell it', async (context) => {
  const data = join(dataDirectory(context), PASSWORD);
  mkdirSync(data);
  place(data, { 'a/x.md': 'x', 'b/y.md': 'y' });
  const env = {
    ...ENV,
    NOTES_DATA: data,
    NOTES_LISTEN: '127.0.0.1:0',
    NOTES_PUBLIC_URL: 'http://127.0.0.1',
    NOTES_USERNAME: PASSWORD,
    NOTES_DEFAULT_VAULT: 'c',
  };
  for (const command of [[], ['validate']]) {
    const { code, stdout, stderr } = await runNotes(command, { env });
    assert.equal(code, 1);
    assert.match(stderr, /NOTES_DEFAULT_VAULT/);
    holdsNone(stdout, 'standard output');
    holdsNone(stderr, 'standard error');
  }
});
