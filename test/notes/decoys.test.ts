/** The decoys within the notes server: before its 404, behind everything real, and what they betray. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { cleaner, type NotesProcess, startNotes } from '../support/notes.ts';

const KEY = 'a-honeytoken-master-key';
const OLD_KEY = 'a-honeytoken-key-of-before';

const suite = cleaner();
let plain: NotesProcess;
let trapped: NotesProcess;
let rotated: NotesProcess;
before(async () => {
  plain = await startNotes(suite);
  trapped = await startNotes(suite, { env: { NOTES_DECOYS_KEY: KEY } });
  rotated = await startNotes(suite, {
    env: {
      NOTES_DECOYS_KEY: OLD_KEY,
      NOTES_DECOYS_OLD_KEYS: `another-old-key-of-some-length,${KEY}`,
    },
  });
});
after(() => suite.clean());

test('without a key there are no decoys', async () => {
  assert.equal((await fetch(`${plain.url}/.aws/credentials`)).status, 404);
});

test('a path that scanners probe is answered, and the match is logged', async () => {
  const answer = await fetch(`${trapped.url}/.aws/credentials`);
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /aws_access_key_id = AKIA/);
  const hit = await trapped.line((line) => line.event === 'decoy_hit');
  assert.equal(hit['source.ip'], '127.0.0.1');
});

test('what no decoy knows is the same 404, byte for byte', async () => {
  for (const path of ['/', '/nothing', '/metrics', '/fetch', '/default/a.md', '/mcp/x']) {
    const [one, other] = await Promise.all(
      [plain, trapped].map(async ({ url }) => {
        const answer = await fetch(url + path);
        const headers = [...answer.headers].filter(([name]) => name !== 'date');
        return { status: answer.status, headers, body: await answer.text() };
      }),
    );
    assert.equal(one?.status, 404, path);
    assert.deepEqual(other, one, path);
  }
});

test('what is real is never a decoy', async () => {
  for (const path of ['/mcp', '/mcp/']) {
    const answer = await fetch(trapped.url + path, { method: 'POST', body: '{}' });
    assert.equal(answer.status, 401, path);
  }
  for (const path of ['/healthz', '/.well-known/oauth-protected-resource']) {
    const [one, other] = await Promise.all(
      [plain, trapped].map(async ({ url }) =>
        (await fetch(url + path)).text().then((text) => text.replaceAll(url, '')),
      ),
    );
    assert.equal(one, other, path);
  }
});

describe('a honeytoken shown to the notes server names who took it', () => {
  let token: string;
  before(async () => {
    const file = (await (await fetch(`${trapped.url}/.claude/.credentials.json`)).json()) as {
      claudeAiOauth: { accessToken: string };
    };
    token = file.claudeAiOauth.accessToken;
  });

  test('as a bearer token, and the answer is that of any wrong token', async () => {
    const post = (bearer: string) =>
      fetch(`${trapped.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
        body: '{}',
      });
    const [stolen, wrong] = [await post(token), await post('x'.repeat(token.length))];
    assert.equal(stolen.status, 401);
    assert.equal(await stolen.text(), await wrong.text());
    assert.equal(stolen.headers.get('www-authenticate'), wrong.headers.get('www-authenticate'));
    const line = await trapped.line(({ event }) => event === 'honeytoken_used');
    assert.match(JSON.stringify(line), /127\.0\.0\.1/);
  });

  test('in the arguments of a tool call, which does its work all the same', async () => {
    const uses = () => trapped.lines().filter(({ event }) => event === 'honeytoken_used').length;
    const before = uses();
    const { isError } = await trapped.call('note_create', { path: 'stolen.md', content: token });
    assert.equal(isError, false);
    await trapped.line(() => uses() > before, 'another use');
  });

  test('also to a server that knows its key as an old one', async () => {
    await fetch(`${rotated.url}/nothing`, { headers: { authorization: `Bearer ${token}` } });
    const line = await rotated.line(({ event }) => event === 'honeytoken_used');
    assert.match(JSON.stringify(line), /127\.0\.0\.1/);
  });

  test('and neither it nor a key is in any line of the log', () => {
    for (const { stdout } of [trapped, rotated]) {
      for (const value of [token, KEY, OLD_KEY]) assert.ok(!stdout().includes(value));
    }
  });
});
