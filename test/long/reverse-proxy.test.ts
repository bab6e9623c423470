/**
 * The gateway and the decoys behind the real nginx and the real Caddy with the configurations that are shipped,
 * over TLS on loopback. Needs `apt-get install --no-install-recommends nginx-light caddy`.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { setDefaultCACertificates } from 'node:tls';
import { startDecoys, type TestDecoys } from '../decoys/support.ts';
import { items, rpc, toolCall } from '../mcp/wire.ts';
import { callTool, type GatewayProcess, signIn, startGateway } from '../support/gateway/gateway.ts';
import { begin, open, type SendOptions, textOf } from '../support/http/https.ts';
import {
  caddy,
  freePorts,
  HINT,
  isMissing,
  METRICS_PATHS,
  nginx,
  type PerProgram,
  type ProxyKind,
  type ReverseProxy,
} from '../support/http/reverse-proxy.ts';
import { startUpstream, type Upstream } from '../support/http/upstream.ts';

const PASSWORD = 'correct horse battery';
const METRICS_KEY = 'a-metrics-key-of-the-tests';
/** Longer than the 30 s that are promised, and than the 60 s that nginx waits if not told. */
const SILENCE_MS = 65_000;

for (const kind of [nginx, caddy]) {
  describe(`behind ${kind.name}`, { skip: isMissing(kind.name.toLowerCase(), HINT) }, () =>
    behind(kind),
  );
}

function behind(kind: ProxyKind): void {
  let upstream: Upstream;
  let gateway: GatewayProcess;
  let decoys: TestDecoys;
  /** Stands in for a program that says nothing for long and knows nothing of proxies. */
  let silent: Server;
  let isSilenceOver = false;
  let proxy: ReverseProxy;
  let urls: PerProgram<string>;
  let token: string;
  /** What the upstream still owes an answer. */
  const waiting: ServerResponse[] = [];

  const config = (description: string) =>
    JSON.stringify({
      server: {
        trusted_proxies: ['127.0.0.1'],
        allow_networks: ['127.0.0.0/8'],
        metrics: { key: METRICS_KEY },
      },
      users: [
        {
          name: 'alice',
          password: PASSWORD,
          targets: [{ id: 'slow', description, base_url: upstream.url, timeout: '5m' }],
        },
      ],
    });
  const call = (accept: string): SendOptions => ({
    method: 'POST',
    headers: { ...bearer(), 'content-type': 'application/json', accept },
    body: JSON.stringify(toolCall('http_request', { url: `${upstream.url}/slow` })),
  });
  const bearer = () => ({ authorization: `Bearer ${token}` });

  before(async () => {
    upstream = await startUpstream();
    upstream.routes.set('/slow', (_request, response) => {
      waiting.push(response);
      upstreamAsked();
    });
    silent = createServer(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: message\ndata: {"said":"first"}\n\n');
      await delay(SILENCE_MS);
      isSilenceOver = true;
      response.end('event: message\ndata: {"said":"last"}\n\n');
    });
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    decoys = await startDecoys({ isTrustedProxy: (peer) => peer === '127.0.0.1' });

    const ports = await freePorts();
    const at = (port: number) => `https://${kind.host}:${port}`;
    urls = { gateway: at(ports.gateway), notes: at(ports.notes), decoys: at(ports.decoys) };
    gateway = await startGateway({
      config: config('first'),
      env: { GATEWAY_PUBLIC_URL: urls.gateway },
    });
    const notes = (silent.address() as AddressInfo).port;
    proxy = await kind.start(ports, { gateway: gateway.port, notes, decoys: decoys.port });
    setDefaultCACertificates([proxy.authority]);
    token = (await signIn(urls.gateway, 'alice', PASSWORD)).accessToken;
  });
  after(async () => {
    await proxy?.stop();
    await gateway?.stop();
    await decoys?.close();
    await upstream?.close();
    silent?.closeAllConnections();
    silent?.close();
  });

  /** Resolves when the upstream has been asked the next time. */
  let upstreamAsked = () => {};
  const nextAsked = () =>
    new Promise<void>((resolve) => {
      upstreamAsked = resolve;
    });

  describe('while nothing is said for more than a minute', { concurrency: true }, () => {
    test('an idle stream stays open', async () => {
      const { incoming } = await open(urls.notes, '/mcp');
      const stream = items(incoming);
      assert.deepEqual((await stream.next()).value, { message: { said: 'first' } });
      assert.equal(isSilenceOver, false, 'the first event was held back');
      assert.deepEqual((await stream.next()).value, { message: { said: 'last' } });
    });

    test('a call stays open for a client that takes no stream', async () => {
      const asked = nextAsked();
      const answer = open(urls.gateway, '/mcp', call('application/json'));
      await asked;
      const response = waiting.shift()!;
      await delay(SILENCE_MS);
      response.end('late');
      const { incoming } = await answer;
      assert.equal(incoming.statusCode, 200);
      assert.match(await textOf(incoming), /late/);
    });
  });

  test('signing in and a call work through TLS', async () => {
    const { accessToken } = await signIn(urls.gateway, 'alice', PASSWORD);
    const { value } = await callTool(urls.gateway, accessToken, 'list_targets');
    assert.equal((value.targets as unknown[]).length, 1);
  });

  test('the discovery documents name the public address', async () => {
    const { incoming } = await open(urls.gateway, '/.well-known/oauth-authorization-server');
    assert.equal(JSON.parse(await textOf(incoming)).issuer, urls.gateway);
  });

  test('events of a call arrive before its end', async () => {
    const asked = nextAsked();
    const { incoming } = await open(
      urls.gateway,
      '/mcp',
      call('application/json, text/event-stream'),
    );
    await asked;
    const stream = items(incoming);
    assert.deepEqual((await stream.next()).value, { comment: 'open' });
    waiting.shift()!.end('at last');
    for await (const item of stream) {
      if ('message' in item) assert.match(JSON.stringify(item.message.result), /at last/);
    }
  });

  test('what the server says unasked arrives at once', async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't' } };
    const headers = { ...bearer(), 'content-type': 'application/json' };
    const { incoming: opened } = await open(urls.gateway, '/mcp', {
      method: 'POST',
      headers,
      body: JSON.stringify(rpc('initialize', params)),
    });
    const session = String(opened.headers['mcp-session-id']);
    opened.resume();
    const { incoming, outgoing } = await open(urls.gateway, '/mcp', {
      headers: { ...bearer(), accept: 'text/event-stream', 'mcp-session-id': session },
    });
    const stream = items(incoming);
    assert.deepEqual((await stream.next()).value, { comment: 'open' });
    gateway.writeConfig(config('second'));
    for await (const item of stream) {
      if ('comment' in item) continue;
      assert.equal(item.message.method, 'notifications/tools/list_changed');
      break;
    }
    outgoing.destroy();
  });

  test('events arrive over HTTP/2, too', async () => {
    const session = connect(urls.gateway);
    const asked = nextAsked();
    const { method, headers, body } = call('application/json, text/event-stream');
    const stream = session.request({ ':method': method, ':path': '/mcp', ...headers });
    stream.end(body);
    await asked;
    const [first] = await once(stream.setEncoding('utf8'), 'data');
    assert.equal(first, ': open\n\n');
    waiting.shift()!.end('at last');
    const rest = await stream.toArray();
    assert.match(rest.join(''), /at last/);
    session.close();
  });

  test('a client that hangs up cancels its call', async () => {
    const asked = nextAsked();
    const outgoing = begin(urls.gateway, '/mcp', call('application/json'));
    await asked;
    waiting.shift();
    outgoing.destroy();
    const line = await gateway.line(({ error }) => error === 'cancelled', 'the cancelled line');
    assert.equal(line.status, 499);
  });

  test('metrics are closed however their path is written', async () => {
    const headers = { authorization: `Bearer ${METRICS_KEY}` };
    const direct = await fetch(`${gateway.url}/metrics`, { headers });
    assert.match(await direct.text(), /gatehouse_build_info/);
    for (const path of METRICS_PATHS) {
      const { incoming } = await open(urls.gateway, path, { headers });
      assert.ok([400, 404].includes(incoming.statusCode!), `${path}: ${incoming.statusCode}`);
      assert.doesNotMatch(await textOf(incoming), /gatehouse_build_info/, path);
    }
  });

  test('the gateway learns the address of the client, whatever the client claims', async () => {
    const { incoming } = await open(urls.gateway, '/mcp', {
      headers: { 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1' },
      localAddress: '127.0.0.5',
    });
    assert.equal(incoming.statusCode, 401);
    incoming.resume();
    const line = await gateway.line(({ status }) => status === 401, 'the line of the 401');
    assert.equal(line.ip, '127.0.0.5');
  });

  test('a body as large as the gateway takes is let through, and no larger one', async () => {
    const headers = { ...bearer(), 'content-type': 'application/json' };
    const ping = (bytes: number) => {
      const body = JSON.stringify(rpc('ping', { padding: '' }));
      return body.replace('""', `"${'x'.repeat(bytes - body.length)}"`);
    };
    const send = async (bytes: number) => {
      const options = { method: 'POST', headers, body: ping(bytes) };
      const { incoming } = await open(urls.gateway, '/mcp', options);
      incoming.resume();
      return incoming.statusCode;
    };
    assert.equal(await send(8 * 1024 * 1024), 200);
    // Who refuses need not read on: anyone who still writes may meet a closed door instead.
    const refused = await send(8 * 1024 * 1024 + 1).catch(({ code }) => code);
    assert.ok([413, 502, 'ECONNRESET', 'EPIPE'].includes(refused), String(refused));
  });

  test('the decoys answer, learn the address of the client, and are not given away', async () => {
    const { incoming } = await open(urls.decoys, '/.aws/credentials', {
      headers: { 'x-forwarded-for': '192.0.2.1' },
      localAddress: '127.0.0.5',
    });
    assert.match(await textOf(incoming), /aws_access_key_id/);
    const hit = decoys.lines().find(({ event }) => event === 'decoy_hit');
    assert.equal(hit?.['source.ip'], '127.0.0.5');
    assert.doesNotMatch(incoming.rawHeaders.join('\n'), /caddy|strict-transport/i);
    const { incoming: metrics } = await open(urls.decoys, '/metrics');
    assert.equal(await textOf(metrics), '404 page not found\n');
  });
}
