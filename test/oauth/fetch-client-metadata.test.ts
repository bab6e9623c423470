/** The real fetch, against a TLS server on loopback that plays the client's own site. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parseCidr } from '../../src/core/net/address.ts';
import type { Resolver } from '../../src/core/net/guard.ts';
import { createClientMetadataFetcher } from '../../src/oauth/fetch-client-metadata.ts';
import { PATIENCE_MS } from '../support/programs/patience.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
const cert = fixture('client.example.cert.pem');
const own = { origins: [], listeners: [], localAddresses: [] };
const loopback = [parseCidr('127.0.0.0/8')!];
const JSON_HEADERS = { 'content-type': 'application/json' };

let site: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let connections = 0;
let requests: IncomingMessage[] = [];
let port = 0;
before(async () => {
  site = createServer({ key: fixture('client.example.key.pem'), cert }, (request, response) => {
    requests.push(request);
    answer(request, response);
  });
  site.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  port = (site.address() as AddressInfo).port;
});
after(() => {
  site.closeAllConnections();
  site.close();
});

function get(
  changes: {
    resolve?: Resolver;
    url?: string;
    signal?: AbortSignal;
    ca?: string;
    plain?: true;
    onLookup?: (lookup: Promise<unknown>) => void;
  } = {},
) {
  const fetchDocument = createClientMetadataFetcher({
    own,
    resolve: changes.resolve ?? (async () => ['127.0.0.1']),
    ...(changes.ca !== 'none' && { ca: cert }),
    ...(!changes.plain && { allowNetworks: loopback }),
  });
  const url = new URL(changes.url ?? `https://client.example:${port}/client.json`);
  const { signal = AbortSignal.timeout(PATIENCE_MS), onLookup = () => {} } = changes;
  return fetchDocument(url, signal, onLookup);
}

test('a document is fetched from the checked address, under the name of the host', async () => {
  requests = [];
  answer = (_request, response) =>
    response.writeHead(200, { ...JSON_HEADERS, 'cache-control': 'max-age=120' }).end('{"a":1}');
  const { body, maxAgeMs } = await get();
  assert.equal(Buffer.from(body).toString(), '{"a":1}');
  assert.equal(maxAgeMs, 120_000);
  assert.equal(requests[0]?.headers.host, `client.example:${port}`);
  assert.equal(requests[0]?.url, '/client.json');
  assert.equal(requests[0]?.headers['accept-encoding'], 'identity');
});

const ages: [string | undefined, number][] = [
  [undefined, 0],
  ['max-age=60', 60_000],
  ['public, Max-Age=3600', 3_600_000],
  ['max-age=999999999', 86_400_000],
  ['no-store, max-age=600', 0],
  ['no-cache', 0],
  ['max-age=-5', 0],
];
for (const [control, expected] of ages) {
  test(`Cache-Control ${control} lets a document be kept for ${expected} ms`, async () => {
    const headers = control === undefined ? {} : { 'cache-control': control };
    answer = (_request, response) =>
      response.writeHead(200, { ...JSON_HEADERS, ...headers }).end('{}');
    assert.equal((await get()).maxAgeMs, expected);
  });
}

const unusable: [string, RegExp, (response: ServerResponse) => void][] = [
  [
    'a redirect',
    /answered 302/,
    (r) => r.writeHead(302, { ...JSON_HEADERS, location: '/other.json' }).end('{}'),
  ],
  ['an error', /answered 404/, (r) => r.writeHead(404, JSON_HEADERS).end('{}')],
  ['another type', /not JSON/, (r) => r.writeHead(200, { 'content-type': 'text/html' }).end('{}')],
  [
    'compression that was not asked for',
    /compressed/,
    (r) => r.writeHead(200, { ...JSON_HEADERS, 'content-encoding': 'gzip' }).end(gzipSync('{}')),
  ],
  [
    'more than 64 KiB',
    /larger than 65536/,
    (r) => r.writeHead(200, JSON_HEADERS).end('x'.repeat(65_537)),
  ],
];
for (const [name, message, respond] of unusable) {
  test(`a document is not used: ${name}`, async () => {
    requests = [];
    answer = (_request, response) => respond(response);
    await assert.rejects(get(), message);
    assert.equal(requests.length, 1);
  });
}

test('an endless document is cut at 64 KiB', async () => {
  let closed = Promise.resolve();
  answer = (_request, response) => {
    closed = new Promise((resolve) => response.once('close', resolve));
    response.writeHead(200, JSON_HEADERS);
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
    };
    response.on('drain', more);
    more();
  };
  await assert.rejects(get(), /larger than/);
  await closed;
});

test('a site that never answers is given up when the signal says so', async () => {
  const gone = new AbortController();
  answer = () => gone.abort(new Error('five seconds are over'));
  await assert.rejects(get({ signal: gone.signal }), /five seconds are over/);
});

test('a lookup is reported before anything is waited for, and goes on when the fetch is given up', async () => {
  const answered = Promise.withResolvers<string[]>();
  const lookups: Promise<unknown>[] = [];
  const gone = new AbortController();
  const fetching = get({
    resolve: () => answered.promise,
    signal: gone.signal,
    onLookup: (lookup) => lookups.push(lookup),
  });
  assert.equal(lookups.length, 1);
  gone.abort();
  await assert.rejects(fetching, /the host is timeout/);
  answered.resolve(['192.0.2.1']);
  assert.deepEqual(await lookups[0], ['192.0.2.1']);
});

const blocked: [string, string[]][] = [
  ['a private address', ['10.0.0.1']],
  ['loopback', ['127.0.0.1']],
  ['cloud metadata', ['169.254.169.254']],
  ['one private among public addresses', ['93.184.216.34', '192.168.0.1']],
  ['loopback in IPv6', ['::ffff:127.0.0.1']],
];
for (const [name, addresses] of blocked) {
  test(`no socket is opened for a name that resolves to ${name}`, async () => {
    connections = 0;
    await assert.rejects(get({ plain: true, resolve: async () => addresses }), /the host is /);
    assert.equal(connections, 0);
  });
}

for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433', '0x7f.1', '127.1']) {
  test(`no socket is opened for https://${host}`, async () => {
    connections = 0;
    const url = `https://${host}:${port}/client.json`;
    await assert.rejects(get({ plain: true, url }), /the host is loopback/);
    assert.equal(connections, 0);
  });
}

test('a name that answers differently the second time is asked once only', async () => {
  let asked = 0;
  answer = (_request, response) => response.writeHead(200, JSON_HEADERS).end('{}');
  await get({
    resolve: async () => {
      asked += 1;
      return asked === 1 ? ['127.0.0.1'] : ['169.254.169.254'];
    },
  });
  assert.equal(asked, 1);
});

test('a certificate that nobody vouches for, or of another name, is refused', async () => {
  answer = (_request, response) => response.writeHead(200, JSON_HEADERS).end('{}');
  await assert.rejects(get({ ca: 'none' }), /self-signed|certificate/i);
  await assert.rejects(get({ url: `https://other.example:${port}/c.json` }), /altnames/i);
});

test('http is refused before anything is resolved', async () => {
  const resolve = () => assert.fail('resolved');
  await assert.rejects(get({ url: `http://client.example:${port}/c`, resolve }), /not https/);
});
