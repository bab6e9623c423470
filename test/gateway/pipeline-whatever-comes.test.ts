/** Upstreams of both address families, and calls that nobody thought of. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { METHODS } from '../../src/gateway/config/config.ts';
import type { RequestArguments } from '../../src/gateway/request/request.ts';
import { DivertedPools, startPipeline } from '../support/gateway/pipeline-parts.ts';
import { startUpstream } from '../support/http/upstream.ts';

const KEY = 'sk-very-secret-value-1';

const upstream = await startUpstream();

after(() => upstream.close());

describe('an upstream', () => {
  test('is reached over IPv6, and at the next of its addresses when the first refuses', async (t) => {
    const hosts: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      hosts.push(request.headers.host);
      response.end('six');
    }).listen(0, '::1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const origins = [`http://[::1]:${port}`, `http://both.test:${port}`];
    const pipeline = startPipeline(
      {
        server: { allow_networks: ['::1/128', '127.0.0.1/32'] },
        users: [
          {
            name: 'alice',
            targets: origins.map((base_url) => ({ id: base_url, description: 'd', base_url })),
          },
        ],
      },
      { resolve: async () => ['127.0.0.1', '::1'] },
    );
    t.after(() => {
      pipeline.close();
      server.close();
    });
    for (const origin of origins) {
      const result = await pipeline.request('alice', { url: `${origin}/` });
      assert.ok('body' in result && result.body === 'six', JSON.stringify(result));
    }
    assert.deepEqual(hosts, [`[::1]:${port}`, `both.test:${port}`]);
  });
});

describe('whatever the model writes', () => {
  test('ends in a result or a documented refusal, one audit line, and no secret', async (t) => {
    const pools = new DivertedPools(upstream.url);
    const target = { description: 'd', methods: ['GET', 'POST'] };
    const inject = { headers: { 'X-Key': '${key}' }, query: { k: '${key}' } };
    const pipeline = startPipeline(
      {
        users: [
          {
            name: 'alice',
            allow_any: true,
            secrets: { key: KEY },
            targets: [
              { ...target, id: 'one', base_url: 'http://api.test/v1', inject },
              {
                ...target,
                id: 'two',
                base_url: 'http://api.test/v2',
                inject: { ...inject, body: { '$.a.b': '${key}' } },
              },
            ],
          },
        ],
      },
      { pools, resolve: async () => ['93.184.215.14'] },
    );
    t.after(() => pipeline.close());
    const odd = fc.string({
      unit: fc.constantFrom(
        ...[
          '/',
          '..',
          '.',
          '%2e',
          '%2F',
          '%',
          '?',
          '#',
          '&',
          '=',
          'k',
          'K',
          '\\',
          '\0',
          '\r\n',
          ' ',
        ],
        ...['é', '\ud800', '\u{1f600}', '@', ':', ';', '+', '"', '{', '}', '[', '%00', '__proto__'],
      ),
      maxLength: 8,
    });
    const starts = [
      'http://api.test/v1',
      'http://api.test/v2/',
      'https://o.test:4',
      'http://[::1]',
    ];
    const names = ['x-a', 'Content-Type', '__proto__', 'constructor', 'Accept', 'X-Key'];
    const values = fc.oneof(odd, fc.constantFrom('application/json', 'plain'));
    const call = fc.record(
      {
        url: fc.oneof(
          fc.tuple(fc.constantFrom(...starts), odd).map((parts) => parts.join('')),
          odd,
        ),
        method: fc.constantFrom(...METHODS, 'x', ''),
        headers: fc.dictionary(fc.oneof(fc.constantFrom(...names), odd), values, { maxKeys: 2 }),
        query: fc.dictionary(odd, fc.oneof(odd, fc.double(), fc.boolean(), fc.array(odd))),
        body: fc.oneof(odd, fc.json(), fc.constant('{}')),
      },
      { requiredKeys: ['url'] },
    );
    let calls = 0;
    await fc.assert(
      fc.asyncProperty(call, async (args) => {
        const result = await pipeline.request('alice', args as RequestArguments);
        calls += 1;
        const code = 'error' in result ? result.error : 'none';
        assert.ok(!['internal_error', 'upstream_error', 'upstream_timeout'].includes(code), code);
        assert.ok(!JSON.stringify(result).includes(KEY));
      }),
      { numRuns: 300 },
    );
    const lines = pipeline.lines();
    assert.equal(lines.length, calls);
    assert.ok(lines.every((line) => line.event === 'request'));
    assert.ok(!JSON.stringify(lines).includes(KEY));
  });
});
