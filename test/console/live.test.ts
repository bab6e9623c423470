/** The events of an open page: bounded for each user, without content, and over with the session. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { after, before, beforeEach, test } from 'node:test';
import { startConsole, TestBrowser, type TestConsole } from './support.ts';

const HOUR_MS = 3_600_000;

let server: TestConsole;
let browser: TestBrowser;
before(async () => {
  server = await startConsole();
});
after(() => server.close());
beforeEach(async () => {
  server.clock.ms += 24 * HOUR_MS;
  browser = new TestBrowser(server.url);
  await browser.signIn();
});

/** What comes until one of it has this text. */
async function until(stream: IncomingMessage, wanted: string): Promise<string> {
  let heard = '';
  for await (const piece of stream.setEncoding('utf8')) {
    heard += piece;
    if (heard.includes(wanted)) break;
  }
  return heard;
}

test('a page is told that something changed, and not what', async () => {
  const stream = await browser.stream('/console/events');
  assert.equal(stream.headers['content-type'], 'text/event-stream');
  assert.equal(stream.headers['cache-control'], 'no-store');
  server.version.text = 'something secret';
  const heard = await until(stream, 'changed');
  assert.doesNotMatch(heard, /secret/);
});

test('a user has four streams, and the room of one that has ended', async () => {
  const streams = [];
  for (let count = 0; count < 4; count++) streams.push(await browser.stream('/console/events'));
  const refused = await browser.get('/console/events');
  assert.equal(refused.status, 204);
  const other = new TestBrowser(server.url);
  await other.signIn('bob');
  const his = await other.stream('/console/events');
  assert.equal(his.statusCode, 200);
  his.destroy();
  streams[0]!.destroy();
  let again = await browser.stream('/console/events');
  while (again.statusCode === 204) again = await browser.stream('/console/events');
  for (const stream of [...streams, again]) stream.destroy();
});

test('so it is for streams that are all opened while the first look takes its time', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.version.known = promise;
  const gone = new AbortController();
  const url = `${server.url}/console/events`;
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const asked = server.version.asked + 4;
  const given = Array.from({ length: 4 }, () =>
    fetch(url, { headers: { cookie }, signal: gone.signal }),
  );
  while (server.version.asked < asked) await new Promise(setImmediate);
  const refused = await browser.get('/console/events');
  assert.equal(refused.status, 204);
  gone.abort();
  await Promise.allSettled(given);
  resolve();
  server.version.known = Promise.resolve();
  let again = await browser.stream('/console/events');
  while (again.statusCode === 204) again = await browser.stream('/console/events');
  again.destroy();
});

test('a stream ends when its session has ended', async () => {
  const stream = await browser.stream('/console/events');
  const ended = until(stream, 'event: over');
  const { hidden } = await browser.get('/console');
  await browser.post('/sign-out', { csrf: hidden.csrf! });
  assert.match(await ended, /event: over/);
});

test('neither a stream nor a page that renews itself is a use of the session', async () => {
  const stream = await browser.stream('/console/events');
  for (let minutes = 0; minutes < 120; minutes += 30) {
    assert.equal((await browser.get('/console', { 'x-live': '1' })).status, 200);
    server.clock.ms += 30 * 60_000;
  }
  assert.equal((await browser.get('/console', { 'x-live': '1' })).status, 303);
  stream.destroy();
});

test('without a session there is no stream', async () => {
  assert.equal((await new TestBrowser(server.url).stream('/console/events')).statusCode, 303);
});

test('a server that stops ends the streams', async () => {
  const other = await startConsole();
  const one = new TestBrowser(other.url);
  await one.signIn();
  const stream = await one.stream('/console/events');
  const ended = once(stream.resume(), 'end');
  await other.close();
  await ended;
});
