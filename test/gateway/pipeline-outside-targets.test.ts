/** The calls of a user who may also request what no target names. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { METHODS } from '../../src/gateway/config/config.ts';
import { DivertedPools, type Pipeline, startPipeline } from '../support/gateway/pipeline-parts.ts';
import { echo, startUpstream } from '../support/http/upstream.ts';

const KEY = 'sk-very-secret-value-1';

const upstream = await startUpstream();

beforeEach(() => {
  upstream.received.length = 0;
  upstream.answer = echo;
});

after(() => upstream.close());

describe('outside every target, where allow_any is on', () => {
  let pipeline: Pipeline;
  let pools: DivertedPools;

  before(() => {
    pools = new DivertedPools(upstream.url);
    pipeline = startPipeline(
      {
        users: [
          {
            name: 'alice',
            allow_any: true,
            secrets: { key: KEY },
            targets: [
              {
                id: 'api',
                description: 'd',
                base_url: 'http://api.test/v1',
                inject: {
                  headers: { Authorization: 'Bearer ${key}' },
                  query: { key: '${key}' },
                },
                follow_redirects: true,
              },
            ],
          },
        ],
      },
      { pools, resolve: async () => ['93.184.215.14'] },
    );
  });
  after(() => pipeline.close());

  for (const method of METHODS) {
    test(`${method} is sent without any credential`, async () => {
      for (const url of ['http://api.test/v2', 'http://api.test./v1/x', 'https://api.test/v1']) {
        upstream.received.length = 0;
        const result = await pipeline.request('alice', { url, method });
        assert.ok('target' in result && result.target === null);
        assert.equal(upstream.received[0]?.method, method);
        assert.ok(!JSON.stringify(upstream.received).includes(KEY));
        const audit = pipeline.lines().at(-1)!;
        assert.equal(audit.target, null);
        assert.deepEqual(audit.injected, []);
      }
    });
  }

  test('the connection goes to the address that was checked, on behalf of no target', async () => {
    pools.asked.length = 0;
    await pipeline.request('alice', { url: 'http://other.test:81/' });
    assert.deepEqual(pools.asked, [
      {
        owner: { user: 'alice', target: undefined, generation: 1 },
        origin: 'http://other.test:81',
        addresses: ['93.184.215.14'],
      },
    ]);
  });

  test('no redirect is followed', async () => {
    upstream.answer = (_request, response) =>
      response.writeHead(302, { location: 'http://api.test/v1/x' }).end();
    const result = await pipeline.request('alice', { url: 'http://other.test/' });
    assert.ok('status' in result && result.status === 302);
    assert.equal(upstream.received.length, 1);
  });

  test('within a target, its credentials are attached as always', async () => {
    const result = await pipeline.request('alice', { url: 'http://api.test/v1/x' });
    assert.ok('target' in result && result.target === 'api');
    assert.equal(upstream.received[0]?.headers.authorization, `Bearer ${KEY}`);
    assert.equal(upstream.received[0]?.url, `/v1/x?key=${KEY}`);
  });

  test('an unknown method is refused', async () => {
    const result = await pipeline.request('alice', { url: 'http://o.test/', method: 'CONNECT' });
    assert.ok('error' in result && result.error === 'method_not_allowed');
  });

  test('every header rule holds', async () => {
    const headers = { authorization: 'Bearer mine' };
    const result = await pipeline.request('alice', { url: 'http://o.test/', headers });
    assert.ok('error' in result && result.error === 'reserved_header');
  });
});
