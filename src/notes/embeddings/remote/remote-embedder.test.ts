/** What is sent to an endpoint, and where nothing is sent. */
import assert from 'node:assert/strict';
import { lookup } from 'node:dns/promises';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { embeddingsEndpoint, refuse } from '../../../../test/support/notes/embeddings-endpoint.ts';
import { Secret } from '../../../core/secrets/secret.ts';
import { endpointUrlOf, nearbyLookup, unencryptedProblem } from './endpoint-url.ts';
import { RemoteEmbedder, type RemoteOptions } from './remote-embedder.ts';

const { signal } = new AbortController();

function embedder(t: TestContext, options: Omit<RemoteOptions, 'model'>): RemoteEmbedder {
  const made = new RemoteEmbedder({ model: 'small', ...options });
  t.after(() => made.close());
  return made;
}

test('a batch is one request with the model and the key', async (t) => {
  const endpoint = await embeddingsEndpoint(t);
  const remote = embedder(t, { url: endpoint.url, key: new Secret('key', 'sk-test-key') });
  const vectors = await remote.embed(['one', 'two'], { signal });
  assert.equal(vectors.length, 2);
  const authorization = 'Bearer sk-test-key';
  assert.deepEqual(endpoint.asked, [{ model: 'small', input: ['one', 'two'], authorization }]);
});

test('an endpoint that answers in another order is read by its numbers', async (t) => {
  const endpoint = await embeddingsEndpoint(t);
  endpoint.faults.push((response) => {
    const data = [
      { index: 1, embedding: [0, 1] },
      { index: 0, embedding: [1, 0] },
    ];
    response.end(JSON.stringify({ data }));
  });
  const [first] = await embedder(t, { url: endpoint.url }).embed(['a', 'b'], { signal });
  assert.deepEqual([...first!], [1, 0]);
});

test('a redirect is not followed, and no key goes elsewhere', async (t) => {
  const elsewhere = await embeddingsEndpoint(t);
  const endpoint = await embeddingsEndpoint(t);
  endpoint.faults.push(refuse(307, { location: `${elsewhere.url}/embeddings` }));
  const remote = embedder(t, { url: endpoint.url, key: new Secret('key', 'sk-test-key') });
  await assert.rejects(remote.embed(['a'], { signal }), /redirect, which is not followed/);
  assert.deepEqual(elsewhere.asked, []);
});

test('an endpoint that never answers is given up after the timeout', async (t) => {
  const endpoint = await embeddingsEndpoint(t);
  endpoint.faults.push(() => undefined);
  const remote = embedder(t, { url: endpoint.url, timeoutMs: 50 });
  await assert.rejects(remote.embed(['a'], { signal }), /did not answer within 50 ms/);
});

test('a stop ends a request that waits', async (t) => {
  const endpoint = await embeddingsEndpoint(t);
  endpoint.faults.push(() => undefined);
  const remote = embedder(t, { url: endpoint.url });
  const waiting = remote.embed(['a'], { signal });
  await endpoint.reached(1);
  await remote.close();
  await assert.rejects(waiting, /the server is stopping/);
});

test('searches beyond the limit are refused at once', async (t) => {
  const endpoint = await embeddingsEndpoint(t);
  endpoint.faults.push(...Array.from({ length: 4 }, () => () => undefined));
  const remote = embedder(t, { url: endpoint.url, timeoutMs: 5_000 });
  const stuck = ['a', 'b', 'c', 'd'].map((text) => remote.embed([text], { signal }));
  await assert.rejects(remote.embed(['e'], { signal }), /too many searches wait/);
  await remote.close();
  for (const one of stuck) await assert.rejects(one);
});

test('Retry-After is passed on in milliseconds', async (t) => {
  const endpoint = await embeddingsEndpoint(t);
  endpoint.faults.push(refuse(429, { 'retry-after': '7' }));
  const asked = embedder(t, { url: endpoint.url }).embed(['a'], { signal });
  await assert.rejects(asked, { kind: 'busy', retryAfterMs: 7_000 });
});

const URLS: readonly (readonly [text: string, url: string | undefined])[] = [
  ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1'],
  ['https://api.openai.com/v1/', 'https://api.openai.com/v1'],
  ['http://user:secret@127.0.0.1/v1', undefined],
  ['https://api.example.com/v1?key=secret', undefined],
  ['https://api.example.com/v1#part', undefined],
  ['ftp://127.0.0.1', undefined],
  ['ollama', undefined],
];
for (const [text, url] of URLS) {
  test(`${text} is ${url === undefined ? 'refused' : 'taken'}`, () => {
    assert.equal(endpointUrlOf(text), url);
  });
}

const PLAIN: readonly (readonly [url: string, isAllowed: boolean])[] = [
  ['http://127.0.0.1:1234/v1', true],
  ['http://[::1]:1234/v1', true],
  ['http://192.168.1.7/v1', true],
  ['http://[fd00::7]/v1', true],
  ['http://ollama:11434/v1', true],
  ['https://8.8.8.8/v1', true],
  ['http://8.8.8.8/v1', false],
  ['http://0x08080808/v1', false],
  ['http://169.254.169.254/v1', false],
  ['http://0.0.0.0/v1', false],
  ['http://[::ffff:8.8.8.8]/v1', false],
];
for (const [url, isAllowed] of PLAIN) {
  test(`${url} is ${isAllowed ? 'no problem' : 'unencrypted'}`, () => {
    assert.equal(unencryptedProblem(url) === undefined, isAllowed);
  });
}

const lookedUp = promisify(nearbyLookup) as unknown as (
  name: string,
  options: object,
) => Promise<readonly { readonly address: string }[]>;

test('a name without encryption must have nearby addresses alone', async () => {
  const [{ address } = { address: '' }] = await lookedUp('localhost', { all: true });
  assert.equal(address, (await lookup('localhost')).address);
  await assert.rejects(
    lookedUp('8.8.8.8', { all: true }),
    /is 8\.8\.8\.8, which is not in a private/,
  );
});
