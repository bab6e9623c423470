/** An unknown path: a page for browsers, JSON for programs, and the same with decoys mounted. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { mountDecoys } from '../../decoys/mount.ts';
import { createServer } from '../http/server.ts';
import { createLog } from '../log/log.ts';
import { Secret } from '../secrets/secret.ts';
import { showNotFoundPage } from './not-found-page.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const log = createLog({ level: 'error', write: () => {} });
const server = () => createServer({ log, showNotFound: showNotFoundPage('Gatehouse gateway') });

async function ask(app: ReturnType<typeof server>, accept: string, options: InjectOptions = {}) {
  const answer = await app.inject({ url: '/nothing', ...options, headers: { accept } });
  const { date: _date, ...headers } = answer.headers;
  return { status: answer.statusCode, headers, body: answer.body };
}

test('a browser gets a page that leads to the start page', async () => {
  const { status, headers, body } = await ask(server(), BROWSER);
  assert.equal(status, 404);
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(headers.vary, 'Accept');
  assert.match(String(headers['content-security-policy']), /^default-src 'none';/);
  assert.match(body, /<h1>There is no page here<\/h1>[\s\S]*<a href="\/">/);
});

for (const accept of ['', '*/*', 'application/json', 'application/json, text/event-stream']) {
  test(`a program that accepts "${accept}" gets JSON`, async () => {
    const { status, headers, body } = await ask(server(), accept);
    assert.equal(status, 404);
    assert.match(String(headers['content-type']), /^application\/json/);
    assert.deepEqual(JSON.parse(body), {
      error: 'not_found',
      message: 'nothing is served at this path',
    });
  });
}

test('nothing of the request is in the page', async () => {
  const plain = await ask(server(), BROWSER);
  const nasty = await ask(server(), BROWSER, { url: '/%3Cscript%3Ealert(1)%3C/script%3E?a=<b>' });
  assert.deepEqual(nasty, plain);
});

for (const accept of [BROWSER, 'application/json']) {
  for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS'] as const) {
    test(`${method} that accepts "${accept}" is answered alike with decoys and without`, async () => {
      const trapped = server();
      mountDecoys(trapped, {
        key: new Secret('decoys key', 'a-honeytoken-master-key'),
        site: 'gateway',
        log,
      });
      const options = { method };
      assert.deepEqual(await ask(trapped, accept, options), await ask(server(), accept, options));
      await trapped.close();
    });
  }
}
