/** Three gateway processes behind HAProxy with one store are one gateway. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { TestBrowser } from '../console/support.ts';
import { rpc, toolCall } from '../mcp/wire.ts';
import { ENTRY, runGateway } from '../support/gateway/gateway.ts';
import { startUpstream, type Upstream } from '../support/http/upstream.ts';
import { callTool, signIn } from '../support/mcp/client.ts';
import { PASSWORD, PASSWORD_HASH } from '../support/oauth/password.ts';
import { freePort } from '../support/programs/free-port.ts';
import { type GatewayReplicas, startReplicas } from '../support/replicas/gateway-replicas.ts';
import { SEAL_KEY } from '../support/replicas/mode.ts';
import { replicasMissing } from '../support/replicas/programs.ts';

describe('three replicas', { skip: replicasMissing() }, () => {
  let gateway: GatewayReplicas;
  let upstream: Upstream;
  before(async () => {
    upstream = await startUpstream();
    gateway = await startReplicas({ config: config('ada', 'bob') });
  });
  after(async () => {
    await gateway?.stop();
    await upstream.close();
  });

  const config = (...users: string[]) =>
    JSON.stringify({
      server: { allow_networks: ['127.0.0.0/8'], trusted_proxies: ['127.0.0.1'] },
      users: users.map((name) => ({
        name,
        password: PASSWORD_HASH,
        targets: [
          {
            id: 'limited',
            description: 'd',
            base_url: `${upstream.url}/limited`,
            rate_limit: '100/h',
          },
          { id: 'free', description: 'd', base_url: `${upstream.url}/free` },
        ],
      })),
    });
  const bearer = (token: string) => ({
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
  });
  const post = (url: string, token: string, body: object, headers: object = {}) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { ...bearer(token), ...headers },
      body: JSON.stringify(body),
    });
  const refresh = (url: string, clientId: string, refreshToken: string) =>
    fetch(`${url}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'refresh_token', client_id: clientId },
        refresh_token: refreshToken,
      }),
    });
  const statuses = (token: string) =>
    Promise.all(
      gateway.replicas.map(async ({ url }) => {
        const answer = await post(url, token, rpc('ping'));
        await answer.arrayBuffer();
        return answer.status;
      }),
    );
  const initialize = async (url: string, token: string) => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't' } };
    const answer = await post(url, token, rpc('initialize', params));
    await answer.text();
    return { 'mcp-session-id': answer.headers.get('mcp-session-id')! };
  };

  test('a rate limit of 100/h lets exactly 100 of 300 quick calls through', async () => {
    const { accessToken } = await signIn(gateway.url, 'ada', PASSWORD);
    const url = `${upstream.url}/limited`;
    const calls = Array.from({ length: 300 }, () =>
      callTool(gateway.url, accessToken, 'http_request', { url }),
    );
    const outcomes = await Promise.all(calls);
    assert.equal(outcomes.filter(({ value }) => value.status === 200).length, 100);
    assert.equal(outcomes.filter(({ value }) => value.error === 'rate_limited').length, 200);
    const ports = new Set(gateway.replicas.map((replica) => countOf(replica.lines())));
    assert.ok(!ports.has(0), 'a replica had no call');
  });

  test('a token is good on every replica at once, and is refreshed on another', async () => {
    const { accessToken, refreshToken, clientId } = await signIn(gateway.url, 'ada', PASSWORD);
    assert.deepEqual(await statuses(accessToken), [200, 200, 200]);
    let current = refreshToken;
    for (const { url } of gateway.replicas) {
      const answer = await refresh(url, clientId, current);
      assert.equal(answer.status, 200);
      const tokens = (await answer.json()) as { access_token: string; refresh_token: string };
      current = tokens.refresh_token;
      assert.deepEqual(await statuses(tokens.access_token), [200, 200, 200]);
    }
  });

  test('a reuse on one replica ends the sign-in on all of them', async () => {
    const { accessToken, refreshToken, clientId } = await signIn(gateway.url, 'ada', PASSWORD);
    assert.deepEqual(await statuses(accessToken), [200, 200, 200]);
    const [one, two] = gateway.replicas;
    const first = (await (await refresh(one!.url, clientId, refreshToken)).json()) as Tokens;
    await refresh(two!.url, clientId, first.refresh_token);
    assert.equal((await refresh(one!.url, clientId, refreshToken)).status, 400);
    while ((await statuses(accessToken)).some((status) => status === 200));
    assert.deepEqual(await statuses(accessToken), [401, 401, 401]);
  });

  test('a person is signed in at the console of every replica, and signs an app out on all', async () => {
    const { accessToken } = await signIn(gateway.url, 'bob', PASSWORD);
    assert.deepEqual(await statuses(accessToken), [200, 200, 200]);
    const [one, two, three] = gateway.replicas.map(({ url }) => new TestBrowser(url));
    const origin = { origin: gateway.url };
    const form = await one!.get('/sign-in');
    const fields = { ...form.hidden, username: 'bob', password: PASSWORD };
    two!.cookies = one!.cookies;
    three!.cookies = one!.cookies;
    assert.equal((await two!.post('/sign-in', fields, origin)).status, 303);
    const { hidden } = await three!.get('/console/sign-ins');
    const ended = { csrf: hidden.csrf!, id: hidden.id! };
    assert.equal((await one!.post('/console/sign-ins/end', ended, origin)).status, 303);
    while ((await statuses(accessToken)).some((status) => status === 200));
    assert.deepEqual(await statuses(accessToken), [401, 401, 401]);
    await two!.post('/sign-out', { csrf: hidden.csrf! }, origin);
    for (const browser of [one, two, three]) {
      assert.equal((await browser!.get('/console')).status, 303);
    }
  });

  test('a session of one replica serves on all, and DELETE on another ends it on all', async () => {
    const { accessToken } = await signIn(gateway.url, 'ada', PASSWORD);
    const [one, two, three] = gateway.replicas;
    const session = await initialize(one!.url, accessToken);
    for (const { url } of gateway.replicas) {
      assert.equal((await post(url, accessToken, rpc('ping'), session)).status, 200);
    }
    const stream = await fetch(`${three!.url}/mcp`, {
      headers: { ...bearer(accessToken), ...session },
    });
    assert.equal(stream.status, 200);
    const other = (await signIn(gateway.url, 'bob', PASSWORD)).accessToken;
    assert.equal((await post(two!.url, other, rpc('ping'), session)).status, 404);
    const headers = { ...bearer(accessToken), ...session };
    const ended = await fetch(`${two!.url}/mcp`, { method: 'DELETE', headers });
    assert.equal(ended.status, 204);
    // The stream ends by itself: the other replica has heard of it.
    await stream.text();
    for (const { url } of gateway.replicas) {
      while ((await post(url, accessToken, rpc('ping'), session)).status !== 404);
    }
  });

  test('a stream that one replica loses goes on at another', async () => {
    const { accessToken } = await signIn(gateway.url, 'ada', PASSWORD);
    const session = await initialize(gateway.replicas[0]!.url, accessToken);
    const listen = async (url: string) => {
      const aborter = new AbortController();
      const headers = { ...bearer(accessToken), ...session, accept: 'text/event-stream' };
      const answer = await fetch(`${url}/mcp`, { headers, signal: aborter.signal });
      assert.equal(answer.status, 200);
      return { reader: answer.body!.pipeThrough(new TextDecoderStream()).getReader(), aborter };
    };
    const first = await listen(gateway.replicas[1]!.url);
    first.aborter.abort();
    const second = await listen(gateway.replicas[2]!.url);
    gateway.writeConfig(config('ada', 'bob').replaceAll('"d"', '"other"'));
    let heard = '';
    while (!heard.includes('list_changed')) heard += (await second.reader.read()).value ?? '';
    second.aborter.abort();
  });

  test('a cancellation reaches the replica on which the call runs', async () => {
    const { accessToken } = await signIn(gateway.url, 'ada', PASSWORD);
    const session = await initialize(gateway.url, accessToken);
    const asked = new Promise<void>((resolve) => upstream.routes.set('/free', () => resolve()));
    const call = { ...toolCall('http_request', { url: `${upstream.url}/free` }), id: 77 };
    const answer = post(gateway.replicas[0]!.url, accessToken, call, session);
    await asked;
    const notification = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 77 },
    };
    const told = await post(gateway.replicas[1]!.url, accessToken, notification, session);
    assert.equal(told.status, 202);
    assert.equal((await answer).status, 202);
    const line = await gateway.line(({ error }) => error === 'cancelled', 'the cancelled line');
    assert.equal(line.status, 499);
    upstream.routes.delete('/free');
  });

  test('a removed user is refused everywhere, and adding the name again revives nothing', async () => {
    const { accessToken } = await signIn(gateway.url, 'bob', PASSWORD);
    const { accessToken: kept } = await signIn(gateway.url, 'ada', PASSWORD);
    assert.deepEqual(await statuses(accessToken), [200, 200, 200]);
    const reloads = () => gateway.lines().filter(({ event }) => event === 'config_reloaded').length;
    for (const users of [['ada'], ['ada', 'bob']]) {
      const before = reloads();
      gateway.writeConfig(config(...users));
      const isReload = ({ event }: { event: string }) => event === 'config_reloaded';
      await gateway.linesThat(isReload, before + 3, 'a reload of every replica');
      assert.deepEqual(await statuses(kept), [200, 200, 200]);
      // 503 only while a replica asks the store who bob is now.
      while ((await statuses(accessToken)).includes(503));
      assert.deepEqual(await statuses(accessToken), [401, 401, 401]);
    }
    const again = await signIn(gateway.url, 'bob', PASSWORD);
    assert.deepEqual(await statuses(again.accessToken), [200, 200, 200]);
  });

  test('without the store nobody is told 401: calls, sign-ins and refreshes answer 503 and when to come back', async () => {
    const { accessToken, refreshToken, clientId } = await signIn(gateway.url, 'ada', PASSWORD);
    await gateway.redis.stop('SIGKILL');
    const isDown = ({ event }: { event: string }) => event === 'store_unavailable';
    await gateway.linesThat(isDown, 3, 'that the store is down');
    // A cached sign-in goes on for a second; nothing else may come in between but 503.
    let seen: number[];
    do {
      seen = await statuses(accessToken);
      assert.ok(
        seen.every((status) => status === 200 || status === 503),
        String(seen),
      );
    } while (seen.includes(200));
    const answers = [
      await post(gateway.url, accessToken, rpc('ping')),
      await refresh(gateway.url, clientId, refreshToken),
      await fetch(`${gateway.url}/authorize?client_id=${clientId}`),
      await fetch(`${gateway.url}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: ['http://127.0.0.1:9/'] }),
      }),
      await fetch(`${gateway.url}/readyz`),
    ];
    for (const answer of answers) {
      assert.equal(answer.status, 503, answer.url);
      assert.ok(Number(answer.headers.get('retry-after')) > 0, answer.url);
    }
    assert.equal((await fetch(`${gateway.url}/healthz`)).status, 200);
    await gateway.redis.restart();
    for (const { url } of gateway.replicas) {
      while ((await fetch(`${url}/readyz`)).status !== 200);
    }
    // This store keeps nothing: the client is told to sign in again, and can.
    while ((await statuses(accessToken)).includes(503));
    assert.deepEqual(await statuses(accessToken), [401, 401, 401]);
    const again = await signIn(gateway.url, 'ada', PASSWORD);
    assert.deepEqual(await statuses(again.accessToken), [200, 200, 200]);
    // One each, and one more where a busy machine answers a replica too late.
    assert.ok(gateway.lines().filter(isDown).length <= 6);
  });

  test('a start without the store says what it waits for', async () => {
    const port = await freePort();
    const env = {
      GATEWAY_CONFIG: gateway.configPath,
      GATEWAY_LISTEN: '127.0.0.1:0',
      GATEWAY_PUBLIC_URL: 'http://127.0.0.1:1',
      GATEWAY_STORE: `redis://ada:hidden-password@127.0.0.1:${port}/0`,
      GATEWAY_SEAL_KEY: SEAL_KEY,
    };
    const child = spawn(process.execPath, [ENTRY], { env: { PATH: process.env.PATH, ...env } });
    let said = '';
    for await (const text of child.stdout.setEncoding('utf8')) {
      said += text;
      if (said.includes('\n')) break;
    }
    child.kill();
    const { event, message } = JSON.parse(said.split('\n')[0]!);
    assert.equal(event, 'store_unavailable');
    assert.equal(message, `waiting for the store redis://ada@127.0.0.1:${port}/0 for up to 30 s`);
  });

  test('validate refuses a store without a seal key, and shows no password', async () => {
    const env = {
      GATEWAY_CONFIG: gateway.configPath,
      GATEWAY_PUBLIC_URL: 'http://127.0.0.1:1',
      GATEWAY_STORE: 'redis://ada:hidden-password@127.0.0.1:1/0',
    };
    const { code, stderr, stdout } = await runGateway(['validate'], { env });
    assert.equal(code, 1);
    assert.match(stderr, /a store needs a seal key of at least 32 characters/);
    assert.doesNotMatch(stderr + stdout, /hidden-password/);
  });
});

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

function countOf(lines: readonly { event: string }[]): number {
  return lines.filter(({ event }) => event === 'request').length;
}
