/** Metrics: off unless configured, behind a key, on a separate listener where there is one. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callTool, type GatewayProcess, signIn, startGateway } from '../support/gateway/gateway.ts';
import { PASSWORD, PASSWORD_HASH } from '../support/gateway/signed-in.ts';
import { startUpstream } from '../support/http/upstream.ts';
import { freePort } from '../support/programs/free-port.ts';

const KEY = 'key-of-the-metrics';
const TOKEN = 'reflected-token';
const upstream = await startUpstream();
after(() => upstream.close());

function config(metrics?: object): string {
  const target = {
    id: 'echo',
    description: 'd',
    base_url: upstream.url,
    inject: { headers: { 'X-Token': `\${token}` } },
  };
  const minted = {
    oauth2: {
      ...{ grant: 'client_credentials', token_url: `${upstream.url}/token` },
      ...{ client_id: 'client', client_secret: 'client-secret-of-a-test' },
    },
  };
  const inject = { headers: { Authorization: 'Bearer ${minted}' } };
  const targets = [{ ...target, id: 'minted', paths: ['/minted'], inject }, target];
  return JSON.stringify({
    server: { allow_networks: ['127.0.0.0/8'], ...(metrics ? { metrics } : {}) },
    users: [{ name: 'alice', password: PASSWORD_HASH, secrets: { token: TOKEN, minted }, targets }],
  });
}

function scrape(base: string, authorization?: string): Promise<Response> {
  return fetch(`${base}/metrics`, { headers: authorization ? { authorization } : {} });
}

test('without configuration there are none', async () => {
  const gateway = await startGateway({ config: config() });
  assert.equal((await scrape(gateway.url, `Bearer ${KEY}`)).status, 404);
  await gateway.stop();
});

test('without a separate listener they are on the public one, behind the key', async () => {
  const gateway = await startGateway({ config: config({ key: KEY }) });
  assert.equal((await scrape(gateway.url)).status, 401);
  assert.equal((await scrape(gateway.url, `Bearer ${KEY}`)).status, 200);
  await gateway.stop();
});

describe('with a separate listener', () => {
  let gateway: GatewayProcess;
  let base: string;
  before(async () => {
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    gateway = await startGateway({ config: config({ listen: `127.0.0.1:${port}`, key: KEY }) });
  });
  after(() => gateway.stop());

  test('they are there and nowhere else, and nothing else is there', async () => {
    assert.equal((await scrape(gateway.url, `Bearer ${KEY}`)).status, 404);
    assert.equal((await scrape(base, `Bearer ${KEY}`)).status, 200);
    for (const path of ['/mcp', '/authorize', '/token', '/']) {
      assert.equal((await fetch(base + path)).status, 404);
    }
  });

  const wrong = [undefined, 'Bearer', 'Bearer wrong', `Bearer ${KEY}x`, `Basic ${KEY}`, KEY];
  for (const authorization of wrong) {
    test(`401 with ${authorization?.replace(KEY, '<key>') ?? 'no authorization'}`, async () => {
      const response = await scrape(base, authorization);
      assert.equal(response.status, 401);
      assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/);
      assert.doesNotMatch(await response.text(), /gatehouse_/);
    });
  }

  test('every counter moves with what it counts, and no label or value tells a secret', async () => {
    const { accessToken } = await signIn(gateway.url, 'alice', PASSWORD);
    const url = `${upstream.url}/x`;
    await callTool(gateway.url, accessToken, 'http_request', { url });
    await callTool(gateway.url, accessToken, 'http_request', { url, method: 'POST' });
    await callTool(gateway.url, accessToken, 'http_request', { url: 'https://elsewhere.example' });
    await fetch(`${gateway.url}/mcp`, { method: 'POST' });
    upstream.routes.set('/token', (_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end('{"error":"invalid_client"}');
    });
    await callTool(gateway.url, accessToken, 'http_request', { url: `${upstream.url}/minted` });
    const response = await scrape(base, `Bearer ${KEY}`);
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    const text = await response.text();
    for (const sample of [
      'gateway_requests_total{target="echo",outcome="2xx"} 1',
      'gateway_requests_total{target="echo",outcome="method_not_allowed"} 1',
      'gateway_requests_total{target="",outcome="no_target"} 1',
      'gateway_requests_total{target="",outcome="unauthorized"} 1',
      'gateway_request_duration_seconds_count{target="echo"} 2',
      'gateway_request_duration_seconds_count{target=""} 1',
      'gateway_requests_total{target="minted",outcome="credential_unavailable"} 1',
      'gateway_token_requests_total{user="alice",secret="minted",outcome="refused"} 1',
      'gatehouse_events_total{event="request"} 5',
      'gatehouse_events_total{event="login_success"} 1',
      'gatehouse_events_total{event="startup"} 1',
    ]) {
      assert.ok(text.includes(`${sample}\n`), sample);
    }
    const redactions = /gateway_redactions_total\{target="echo"\} (\d+)/.exec(text);
    assert.ok(Number(redactions?.[1]) > 0);
    assert.match(text, /gatehouse_build_info\{program="gateway",version="[^"]+"\} 1/);
    assert.match(text, /process_resident_memory_bytes/);
    for (const value of [KEY, TOKEN, accessToken]) assert.ok(!text.includes(value));
  });
});
