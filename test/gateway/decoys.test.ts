/** The decoys within the gateway: before its 404, behind everything real, and what they betray. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callTool, type GatewayProcess, signIn, startGateway } from '../support/gateway.ts';

const KEY = 'a-honeytoken-master-key';
const USERS = 'users: [{name: alice, password: wonderland}]';

let plain: GatewayProcess;
let trapped: GatewayProcess;
before(async () => {
  plain = await startGateway({ config: USERS });
  trapped = await startGateway({ config: `server: {decoys: {key: ${KEY}}}\n${USERS}` });
});
after(async () => {
  await plain.stop();
  await trapped.stop();
});

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
  for (const path of [
    '/',
    '/nothing',
    '/fetch',
    '/fetch?url=https://example.com',
    '/api/v1/cats/1',
  ]) {
    const [one, other] = await Promise.all(
      [plain, trapped].map(async ({ url }) => {
        const answer = await fetch(url + path);
        const headers = [...answer.headers].filter(([name]) => name !== 'date');
        return { status: answer.status, headers, body: await answer.text() };
      }),
    );
    assert.equal(one?.status, 404);
    assert.deepEqual(other, one, path);
  }
});

test('the real MCP endpoint is never a decoy', async () => {
  for (const path of ['/mcp', '/mcp/']) {
    const answer = await fetch(trapped.url + path, { method: 'POST', body: '{}' });
    assert.equal(answer.status, 401, path);
  }
});

describe('a honeytoken shown to the gateway names who took it', () => {
  let token: string;
  before(async () => {
    const file = (await (await fetch(`${trapped.url}/.claude/.credentials.json`)).json()) as {
      claudeAiOauth: { accessToken: string };
    };
    token = file.claudeAiOauth.accessToken;
  });

  test('as a bearer token, and the answer is that of any wrong token', async () => {
    const headers = { 'content-type': 'application/json' };
    const post = (bearer: string) =>
      fetch(`${trapped.url}/mcp`, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${bearer}` },
        body: '{}',
      });
    const [stolen, wrong] = [await post(token), await post('x'.repeat(token.length))];
    assert.equal(stolen.status, 401);
    assert.equal(await stolen.text(), await wrong.text());
    assert.equal(stolen.headers.get('www-authenticate'), wrong.headers.get('www-authenticate'));
    await seen();
  });

  test('in the arguments of a tool call', async () => {
    const before = uses().length;
    const { accessToken } = await signIn(trapped.url, 'alice', 'wonderland');
    await callTool(trapped.url, accessToken, 'http_request', {
      url: 'https://example.com/',
      body: token,
    });
    await trapped.line(() => uses().length > before, 'a second use');
  });

  test('and is itself in no line of the log', () => {
    assert.ok(!trapped.stdout().includes(token));
    assert.ok(!trapped.stdout().includes(KEY));
  });

  function uses() {
    return trapped.lines().filter((line) => line.event === 'honeytoken_used');
  }

  async function seen() {
    const line = await trapped.line((entry) => entry.event === 'honeytoken_used');
    assert.match(JSON.stringify(line), /127\.0\.0\.1/);
  }
});
