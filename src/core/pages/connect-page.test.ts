/** Who gets the page at `/`, who gets the 404 of before, and what the page shows of whom. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { mountDecoys } from '../../decoys/mount.ts';
import { createServer } from '../http/server.ts';
import { createLog } from '../log/log.ts';
import { Secret } from '../secrets/secret.ts';
import { type Health, mountConnectPage } from './connect-page.ts';
import { showNotFoundPage } from './not-found-page.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const log = createLog({ level: 'error', write: () => {} });

interface Changes {
  readonly publicUrl?: string;
  readonly product?: string;
  readonly health?: () => Health | Promise<Health>;
}

function serverWith(changes?: Changes) {
  const app = createServer({ log, showNotFound: showNotFoundPage('Gatehouse gateway') });
  if (!changes) return app;
  mountConnectPage(app, {
    publicUrl: 'https://gateway.example.com',
    product: 'Gatehouse gateway',
    name: 'gateway',
    about: 'This server is for tests.',
    health: () => ({ status: 'ok', version: '1.2.3' }),
    ...changes,
  });
  return app;
}

async function ask(app: ReturnType<typeof createServer>, options: InjectOptions = {}) {
  const { statusCode, headers, body } = await app.inject({
    url: '/',
    ...options,
    headers: { accept: BROWSER, ...options.headers },
  });
  const { date: _date, vary, ...rest } = headers;
  return { status: statusCode, headers: rest, vary, body };
}

test('a browser gets the page, and caches are told what it depends on', async () => {
  const answer = await ask(serverWith({}));
  assert.equal(answer.status, 200);
  assert.equal(answer.vary, 'Accept');
  assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.match(answer.body, /https:\/\/gateway\.example\.com\/mcp/);
  assert.match(answer.body, /This server is for tests\./);
});

test('the page permits itself its style and its script, by their hashes, and nothing else', async () => {
  const { headers } = await ask(serverWith({}));
  assert.match(
    String(headers['content-security-policy']),
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
});

test('HEAD is answered as GET, without the page', async () => {
  const app = serverWith({});
  const [got, head] = [await ask(app), await ask(app, { method: 'HEAD' })];
  assert.deepEqual({ ...head, body: got.body }, got);
  assert.equal(head.body, '');
});

describe('as if there were no page', () => {
  const json = { headers: { accept: 'application/json' } };
  const requests: [what: string, options: InjectOptions][] = [
    ['a client without a preference', { headers: { accept: '' } }],
    ['one that takes anything', { headers: { accept: '*/*' } }],
    ['one that wants JSON', json],
    ['one that prefers JSON', { headers: { accept: 'text/html;q=0.9, */*' } }],
    ['an MCP client', { headers: { accept: 'application/json, text/event-stream' } }],
    ['JSON with a query', { ...json, url: '/?a=b' }],
    ['HEAD for JSON', { ...json, method: 'HEAD' }],
    ['POST', { method: 'POST', payload: {} }],
    ['OPTIONS', { method: 'OPTIONS' }],
    ['DELETE', { method: 'DELETE' }],
    ['two slashes', { url: '//' }],
    ['another path', { url: '/index.html' }],
  ];
  for (const [what, options] of requests) {
    test(`${what} gets the 404 of before, byte for byte`, async () => {
      const [before, now] = [await ask(serverWith(), options), await ask(serverWith({}), options)];
      assert.equal(before.status, 404);
      // Nothing of a body is sent after HEAD; without a socket it shows before it is cut off.
      const body = options.method === 'HEAD' ? '' : before.body;
      assert.deepEqual(now, { ...before, body });
    });
  }
});

test('with decoys mounted the page is still the page, and meets none of them', async () => {
  const written: string[] = [];
  const [plain, trapped] = [serverWith({}), serverWith({})];
  mountDecoys(trapped, {
    key: new Secret('decoys key', 'a-honeytoken-master-key'),
    site: 'gateway',
    log: createLog({ level: 'debug', write: (line) => written.push(line) }),
  });
  for (const accept of [BROWSER, 'application/json']) {
    const headers = { accept };
    assert.deepEqual(await ask(trapped, { headers }), await ask(plain, { headers }));
  }
  assert.deepEqual(written, []);
});

test('the health is that of the moment, whatever it was before', async () => {
  let status = 'ok';
  const app = serverWith({ health: async () => ({ status, version: '1.2.3' }) });
  assert.match((await ask(app)).body, /<p class="health">Running <span>version 1\.2\.3</);
  status = 'the <vault> is not readable';
  const { body } = await ask(app);
  assert.match(body, /Not ready <span>the &#60;vault&#62; is not readable</);
  assert.doesNotMatch(body, /Running/);
});

test('nothing of the request is in the page', async () => {
  const app = serverWith({});
  const { body } = await ask(app);
  const other = await ask(app, {
    url: '/?name=evil"><script>alert(1)</script>',
    headers: {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
      'user-agent': '<b>evil</b>',
      referer: 'https://evil.example/',
      cookie: 'evil=1',
    },
  });
  assert.equal(other.body, body);
});

test('who runs it on their own machine is told where npm start keeps the password', async () => {
  const isTold = async (publicUrl: string) =>
    (await ask(serverWith({ publicUrl }))).body.includes('<code>data/password</code>');
  assert.equal(await isTold('http://127.0.0.1:2019'), true);
  assert.equal(await isTold('http://localhost:4019'), true);
  assert.equal(await isTold('https://gateway.example.com'), false);
});

test('a public URL and a product that would be markup are text', async () => {
  const { body } = await ask(
    serverWith({
      publicUrl: `https://a'"&b.example`,
      product: '</title><script>alert(1)</script>',
    }),
  );
  assert.equal(body.match(/<script>/g)?.length, 1);
  assert.ok(body.includes('https://a&#39;&#34;&#38;b.example/mcp'));
  assert.doesNotMatch(body, /https:\/\/a'/);
});
