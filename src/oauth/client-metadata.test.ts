import assert from 'node:assert/strict';
import test from 'node:test';
import { createLog } from '../core/log/log.ts';
import { MemoryStore } from '../core/store/store.ts';
import { ClientMetadata, clientMetadataUrl, type FetchClientMetadata } from './client-metadata.ts';

const ID = 'https://client.example/client.json';
const DOCUMENT = {
  client_id: ID,
  client_name: 'App',
  redirect_uris: ['https://client.example/cb'],
};
const MINUTE = 60_000;

const SOURCE = '192.0.2.1';

function setUp(fetch: FetchClientMetadata, waitMs = MINUTE) {
  const clock = { ms: 0 };
  const store = new MemoryStore({ now: () => clock.ms });
  const log = createLog({ level: 'error', write: () => {} });
  return { clock, metadata: new ClientMetadata({ store, fetch, log, waitMs }) };
}

function serving(document: unknown, maxAgeMs = 0) {
  const count = { fetches: 0 };
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  const fetch: FetchClientMetadata = async () => {
    count.fetches += 1;
    return { body: new TextEncoder().encode(text), maxAgeMs };
  };
  return { count, ...setUp(fetch) };
}

for (const id of [ID, 'https://client.example:8443/a/b']) {
  test(`names a document: ${id}`, () => assert.equal(clientMetadataUrl(id)?.href, id));
}
const others = [
  'abc',
  'http://client.example/c.json',
  'https://client.example',
  'https://client.example/',
  'https://client.example/c?x=1',
  'https://client.example/c#x',
  'https://user@client.example/c',
  'https://client.example/a/../c',
  'https://client.example/a/%2e%2e/c',
  'https://CLIENT.example/c',
  'https://client.example:443/c',
  'https://2130706433/c',
  ' https://client.example/c',
  `https://client.example/${'c'.repeat(1_024)}`,
];
for (const id of others) {
  test(`names no document: ${id.slice(0, 50)}`, () => {
    assert.equal(clientMetadataUrl(id), undefined);
  });
}

test('the client is what its document says', async () => {
  const { metadata } = serving(DOCUMENT);
  assert.deepEqual(await metadata.find(new URL(ID), SOURCE), {
    ok: true,
    client: { id: ID, name: 'App', redirectUris: ['https://client.example/cb'] },
  });
});

const unreadable: [string, unknown][] = [
  ['another client_id', { ...DOCUMENT, client_id: 'https://client.example/other.json' }],
  ['no client_id', { redirect_uris: DOCUMENT.redirect_uris }],
  ['a secret', { ...DOCUMENT, client_secret: 'x' }],
  ['no redirect URIs', { ...DOCUMENT, redirect_uris: [] }],
  ['a redirect URI that may not be', { ...DOCUMENT, redirect_uris: ['javascript:alert(1)'] }],
  ['a list', [DOCUMENT]],
  ['null', null],
  ['no JSON', '{'],
];
for (const [name, document] of unreadable) {
  test(`a document does not describe a client: ${name}`, async () => {
    const { metadata } = serving(document);
    assert.deepEqual(await metadata.find(new URL(ID), SOURCE), { ok: false, reason: 'unreadable' });
  });
}

const ages: [number, number][] = [
  [0, 10 * MINUTE],
  [30 * MINUTE, 30 * MINUTE],
  [48 * 60 * MINUTE, 24 * 60 * MINUTE],
];
for (const [maxAgeMs, keptMs] of ages) {
  test(`a document with an age of ${maxAgeMs} ms is fetched again after ${keptMs} ms`, async () => {
    const { metadata, clock, count } = serving(DOCUMENT, maxAgeMs);
    await metadata.find(new URL(ID), SOURCE);
    clock.ms = keptMs - 1;
    await metadata.find(new URL(ID), SOURCE);
    assert.equal(count.fetches, 1);
    clock.ms = keptMs;
    await metadata.find(new URL(ID), SOURCE);
    assert.equal(count.fetches, 2);
  });
}

test('a failure is memoize for a minute', async () => {
  const { metadata, clock, count } = serving('{');
  await metadata.find(new URL(ID), SOURCE);
  await metadata.find(new URL(ID), SOURCE);
  assert.equal(count.fetches, 1);
  clock.ms = MINUTE;
  await metadata.find(new URL(ID), SOURCE);
  assert.equal(count.fetches, 2);
});

/** Fetches that go on until they are told to end; the lookup of each may outlast it. */
function slow(waitMs?: number) {
  const started: string[] = [];
  const fetches: PromiseWithResolvers<never>[] = [];
  const lookups: PromiseWithResolvers<void>[] = [];
  const { metadata } = setUp((url, _signal, onLookup) => {
    started.push(url.href);
    const lookup = Promise.withResolvers<void>();
    lookups.push(lookup);
    onLookup(lookup.promise);
    const fetching = Promise.withResolvers<never>();
    fetches.push(fetching);
    return fetching.promise;
  }, waitMs);
  /** Ends the fetch that began as the so-manyth, with its lookup, and lets others begin. */
  const end = async (index: number) => {
    lookups[index]!.resolve();
    fetches[index]!.reject(new Error('404'));
    await outcome(new Promise(() => {}));
  };
  return { started, fetches, lookups, metadata, end };
}

/** What a search comes to if it is over at once, and whether it goes on. */
async function outcome(finding: Promise<unknown>): Promise<unknown> {
  const later = new Promise((resolve) => setImmediate(() => resolve('under way')));
  return Promise.race([finding, later]);
}

const BUSY = { ok: false, reason: 'busy' };

test('one document is fetched once for all who wait', async () => {
  const { started, fetches, metadata } = slow();
  const waiting = [metadata.find(new URL(ID), SOURCE), metadata.find(new URL(ID), SOURCE)];
  assert.equal(await outcome(Promise.race(waiting)), 'under way');
  fetches[0]!.reject(new Error('down'));
  await Promise.all(waiting);
  assert.deepEqual(started, [ID]);
});

test('a lookup that outlasts its fetch still counts: never more than four are under way', async () => {
  const { started, fetches, lookups, metadata } = slow();
  const site = (index: number) => new URL(`https://a${index}.slow.example/c`);
  const first = [0, 1, 2, 3].map((index) => metadata.find(site(index), `source ${index}`));
  assert.equal(await outcome(Promise.race(first)), 'under way');
  for (const fetching of fetches) fetching.reject(new Error('timed out'));
  await Promise.all(first);
  const fifth = metadata.find(site(4), SOURCE);
  assert.equal(await outcome(fifth), 'under way');
  assert.equal(started.length, 4);
  lookups[0]!.reject(new Error('no such name'));
  assert.equal(await outcome(fifth), 'under way');
  assert.equal(started.length, 5);
});

test('slow documents of one host leave room for other hosts', async () => {
  const { started, lookups, metadata } = slow();
  const paths = ['/a', '/b', '/c'].map((path) => new URL(`https://slow.example${path}`));
  for (const [index, url] of paths.entries()) {
    assert.equal(await outcome(metadata.find(url, `source ${index}`)), 'under way');
  }
  assert.equal(started.length, 2);
  for (const lookup of lookups) lookup.resolve();
  for (let index = 0; index < 14; index++) {
    const other = metadata.find(new URL(`https://s${index}.example/c`), `other ${index}`);
    assert.equal(await outcome(other), 'under way');
    lookups.at(-1)!.resolve();
    await outcome(other);
  }
  assert.equal(started.length, 16);
  void metadata.find(new URL('https://last.example/c'), '192.0.2.2');
  await outcome(new Promise(() => {}));
  assert.equal(started.length, 16);
});

test('slow sites of one source leave room for other sources', async () => {
  const { started, metadata } = slow();
  const site = (name: string) => new URL(`https://${name}.example/c`);
  for (const name of ['x1', 'x2', 'x3', 'x4']) void metadata.find(site(name), 'stranger');
  for (const source of ['user', 'another']) {
    assert.equal(await outcome(metadata.find(site(source), source)), 'under way');
    assert.equal(started.at(-1), site(source).href);
  }
  assert.equal(started.length, 4);
});

test('nobody waits behind a source that waits for the same document', async () => {
  const { started, metadata, end } = slow();
  const site = (name: string) => new URL(`https://${name}.example/c`);
  for (const name of ['x1', 'x2']) void metadata.find(site(name), 'stranger');
  const third = metadata.find(new URL(ID), 'stranger');
  assert.equal(await outcome(third), 'under way');
  const wanted = metadata.find(new URL(ID), 'user');
  assert.equal(await outcome(wanted), 'under way');
  assert.equal(started.at(-1), ID);
  await end(started.length - 1);
  assert.deepEqual(await outcome(wanted), { ok: false, reason: 'unreadable' });
  assert.equal(await outcome(third), 'under way');
});

test('a search that found no room gets what another has found meanwhile', async () => {
  const { metadata, end, started } = slow(50);
  const site = (name: string) => new URL(`https://${name}.example/c`);
  for (const name of ['x1', 'x2']) void metadata.find(site(name), 'stranger');
  const third = metadata.find(new URL(ID), 'stranger');
  void metadata.find(new URL(ID), 'user');
  await outcome(new Promise(() => {}));
  await end(started.indexOf(ID));
  assert.deepEqual(await third, { ok: false, reason: 'unreadable' });
});

const path = (name: string) => new URL(`https://big.example/${name}`);

test('anyone who finds no room waits, and goes in the order of arrival', async () => {
  const { started, metadata, end } = slow();
  for (const name of ['a', 'b', 'c', 'd']) {
    const finding = metadata.find(path(name), `of ${name}`);
    assert.equal(await outcome(finding), 'under way');
  }
  assert.deepEqual(started, [path('a').href, path('b').href]);
  await end(1);
  assert.equal(started[2], path('c').href);
  await end(0);
  assert.equal(started[3], path('d').href);
});

test('a source that asks for much waits with one search, so that others wait for one at most', async () => {
  const { started, metadata, end } = slow();
  for (const name of ['x1', 'x2', 'x3']) void metadata.find(path(name), 'stranger');
  for (const name of ['x4', 'x5']) {
    assert.deepEqual(await outcome(metadata.find(path(name), 'stranger')), BUSY);
  }
  const finding = metadata.find(path('client.json'), 'user');
  assert.equal(await outcome(finding), 'under way');
  await end(0);
  assert.deepEqual(await outcome(metadata.find(path('x3'), 'stranger')), 'under way');
  void metadata.find(path('x6'), 'stranger');
  await end(1);
  assert.equal(started.at(-1), path('client.json').href);
});

test('a search for which there is no room in time is told so, and leaves its place', async () => {
  const { metadata, started, end } = slow(1);
  for (const name of ['a', 'b']) void metadata.find(path(name), SOURCE);
  await outcome(new Promise(() => {}));
  assert.deepEqual(await metadata.find(path('c'), SOURCE), BUSY);
  assert.deepEqual(await metadata.find(path('d'), SOURCE), BUSY);
  await end(0);
  assert.equal(started.length, 2);
  assert.equal(await outcome(metadata.find(path('c'), SOURCE)), 'under way');
  assert.equal(started.length, 3);
});

test('not more than 64 searches wait', async () => {
  const { metadata } = slow();
  for (let index = 0; index < 2 + 64; index++) {
    void metadata.find(path(`c${index}`), `source ${index}`);
  }
  assert.deepEqual(await outcome(metadata.find(path('last'), 'last')), BUSY);
});
