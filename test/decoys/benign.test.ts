/** What honest visitors ask for: none of it is a decoy, and none of it is logged. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { FastifyInstance } from 'fastify';
import { createServer, drain } from '../../src/core/http/server.ts';
import { createLog } from '../../src/core/log/log.ts';
import { mountDecoys } from '../../src/decoys/mount.ts';
import { mountMcp } from '../../src/mcp/endpoint.ts';
import { ask, KEY } from './support.ts';

const written: string[] = [];
const log = createLog({ level: 'debug', write: (line) => written.push(line) });
let app: FastifyInstance;
let port: number;
before(async () => {
  app = createServer({ log });
  mountDecoys(app, { key: KEY, site: 'gateway', log });
  app.get('/healthz', async () => ({ status: 'ok' }));
  mountMcp(app, {
    publicUrl: 'http://127.0.0.1:2019',
    serverInfo: { name: 'real', title: 'Real', version: '1.0.0' },
    instructions: () => '',
    tools: [],
    authenticate: async () => ({ user: 'alice', incarnation: '1', clientId: 'test' }),
    allowedOrigins: () => [],
    isAlive: async () => true,
    log,
  });
  port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
});
after(() => drain(app, 200));

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const SAFARI = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15';
const BROWSER = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'en-US,en;q=0.5',
  'accept-encoding': 'gzip, deflate, br, zstd',
  cookie: '_ga=GA1.1.1234567890.1700000000; session=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
  referer: 'https://www.example.com/search?q=how+to+read+credentials.json&hl=en',
};

const visits: readonly [who: string, agent: string, method: string, targets: readonly string[]][] =
  [
    [
      'a browser',
      FIREFOX,
      'GET',
      [
        '/',
        '/index.html',
        '/favicon.ico',
        '/robots.txt',
        '/assets/app.3f9c1b2a7d4e5f60718293a4b5c6d7e8.js',
        '/api/v1/status',
        '/api/v1/orders/42',
        '/users/42',
        '/blog/how-to-read-credentials-json',
        '/docs/mcp',
        '/search?q=aws+credentials&url=https://www.example.com/',
        '/.well-known/security.txt',
        '/.well-known/oauth-protected-resource',
        '/fetch',
      ],
    ],
    ['a phone', SAFARI, 'GET', ['/apple-touch-icon.png', '/apple-touch-icon-precomposed.png']],
    [
      'a crawler',
      'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      'GET',
      ['/robots.txt', '/sitemap.xml', '/', '/ads.txt', '/.well-known/traffic-advice'],
    ],
    ['a feed reader', 'FeedFetcher', 'GET', ['/feed', '/rss.xml', '/atom.xml']],
    ['an uptime check', 'kube-probe/1.31', 'GET', ['/healthz', '/livez', '/readyz']],
    ['a metrics collector', 'Prometheus/2.53.3', 'GET', ['/metrics']],
    ['an MCP client', 'node', 'GET', ['/.well-known/mcp.json', '/.well-known/mcp']],
    ['an uptime check', 'UptimeRobot/2.0', 'HEAD', ['/', '/healthz']],
    ['a preflight', FIREFOX, 'OPTIONS', ['/mcp', '/api/v1/orders']],
    [
      'a link preview',
      'Slackbot-LinkExpanding 1.0',
      'GET',
      [
        '/post?url=https%3A%2F%2Fwww.example.com%2F169.254.169.254',
        '/proxy?url=https://cdn.example.com/a.png',
      ],
    ],
  ];

for (const [who, agent, method, targets] of visits) {
  for (const target of targets) {
    test(`${who} that asks ${method} ${target} meets no decoy`, async () => {
      written.length = 0;
      await ask(port, target, { method, headers: { ...BROWSER, 'user-agent': agent } });
      assert.deepEqual(written, []);
    });
  }
}

test('a real MCP client at the real route meets no decoy', async () => {
  written.length = 0;
  for (const mode of ['auto', 'legacy'] as const) {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)),
    );
    await client.listTools();
    assert.equal(client.getServerVersion()?.name, 'real');
    await client.close();
  }
  assert.deepEqual(written, []);
});

test('tokens, hashes and ids of honest programs are no honeytokens', async () => {
  written.length = 0;
  for (const value of [
    'Bearer 7dXr1wPq0cJmK4vB9sZtYh3LgNfEoUaQ2iRxWkTeVyM',
    'Bearer eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJhIn0.abcdefghijklmnopqrstuvwxyz234567abcdefgh',
    'Basic YWxpY2U6Y29ycmVjdCBob3JzZSBiYXR0ZXJ5IHN0YXBsZQ==',
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20261115/us-east-1/s3/aws4_request',
    'token d41d8cd98f00b204e9800998ecf8427e',
    '550e8400-e29b-41d4-a716-446655440000',
    'jbswy3dpehpk3pxpjbswy3dpehpk3pxp',
  ]) {
    await ask(port, '/healthz', { headers: { authorization: value, 'x-request-id': value } });
  }
  assert.deepEqual(written, []);
});
