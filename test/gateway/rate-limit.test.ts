/** The bucket of a target: its size, its refill, whose it is, and what it costs. */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { type Pipeline, startPipeline } from '../support/gateway/pipeline-parts.ts';
import { startUpstream } from '../support/http/upstream.ts';
import { type InProcess, startInProcess } from '../support/replicas/in-process.ts';
import { areReplicas } from '../support/replicas/mode.ts';

let pipeline: Pipeline;
let now = 0;
let replicas: InProcess | undefined;

const upstream = await startUpstream();
if (areReplicas) replicas = await startInProcess({ now: () => now });

beforeEach(async () => {
  await replicas?.clear();
  now = 1_000_000;
  upstream.received.length = 0;
  upstream.routes.clear();
  const target = {
    description: 'd',
    base_url: upstream.url,
    methods: ['GET'],
    follow_redirects: true,
  };
  const targets = [
    { ...target, id: 'a', paths: ['/a/**'], rate_limit: '3/m' },
    { ...target, id: 'b', paths: ['/b/**'], rate_limit: '3/m' },
    { ...target, id: 'free', paths: ['/free'] },
  ];
  pipeline = startPipeline(
    {
      server: { allow_networks: ['127.0.0.0/8'] },
      users: [
        { name: 'alice', targets },
        { name: 'bob', targets },
      ],
    },
    { now: () => now, stores: replicas?.stores },
  );
});

after(async () => {
  await upstream.close();
  await replicas?.close();
});

async function errorOf(user: string, path: string, rest: object = {}): Promise<string | undefined> {
  const result = await pipeline.request(user, { url: upstream.url + path, ...rest });
  return 'error' in result ? result.error : undefined;
}

async function drain(user: string, path: string): Promise<void> {
  for (let i = 0; i < 3; i++) assert.equal(await errorOf(user, path), undefined);
  assert.equal(await errorOf(user, path), 'rate_limited');
}

describe('a rate limit of 3/m', () => {
  test('lets three calls through and refuses the fourth with the time to wait', async () => {
    for (let i = 0; i < 3; i++) assert.equal(await errorOf('alice', '/a/x'), undefined);
    const refusal = await pipeline.request('alice', { url: `${upstream.url}/a/x` });
    assert.deepEqual(refusal, {
      error: 'rate_limited',
      message: 'this target allows 3/m; try again in 20000 ms',
      status: 429,
      retry_after_ms: 20_000,
    });
    assert.equal(upstream.received.length, 3);
    const audit = pipeline.lines().at(-1)!;
    assert.equal(audit.status, 429);
    assert.equal(audit.target, 'a');
    assert.equal(audit.error, 'rate_limited');
  });

  test('gives a token back after exactly the time it named', async () => {
    await drain('alice', '/a/x');
    now += 19_999;
    const refusal = await pipeline.request('alice', { url: `${upstream.url}/a/x` });
    assert.ok('retry_after_ms' in refusal);
    assert.equal(refusal.retry_after_ms, 1);
    now += 1;
    assert.equal(await errorOf('alice', '/a/x'), undefined);
    assert.equal(await errorOf('alice', '/a/x'), 'rate_limited');
  });

  test('never holds more than three, however long nobody calls', async () => {
    await drain('alice', '/a/x');
    now += 24 * 3_600_000;
    await drain('alice', '/a/x');
  });

  test('belongs to one user and one target', async () => {
    await drain('alice', '/a/x');
    await drain('alice', '/b/x');
    await drain('bob', '/a/x');
    assert.equal(await errorOf('alice', '/free'), undefined);
  });

  test('a refused call costs no token; a call that a later step refuses costs one', async () => {
    await drain('alice', '/a/x');
    now += 20_000;
    assert.equal(await errorOf('alice', '/a/x', { method: 'DELETE' }), 'method_not_allowed');
    assert.equal(await errorOf('alice', '/a/x', { method: 'DELETE' }), 'rate_limited');
  });

  test('a call that an earlier step refuses costs none', async () => {
    for (let i = 0; i < 5; i++) assert.equal(await errorOf('alice', '/a/../x'), 'invalid_url');
    await drain('alice', '/a/x');
  });

  test('a call takes one token whatever its hops', async () => {
    upstream.routes.set('/a/from', (_request, response) =>
      response.writeHead(302, { location: '/a/to' }).end(),
    );
    await drain('alice', '/a/from');
    assert.equal(upstream.received.length, 6);
  });

  test('a hundred calls at once share it', async () => {
    const calls = Array.from({ length: 100 }, () => errorOf('alice', '/a/x'));
    const outcomes = await Promise.all(calls);
    assert.equal(outcomes.filter((code) => code === undefined).length, 3);
    assert.equal(upstream.received.length, 3);
  });
});
