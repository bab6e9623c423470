/**
 * What a target accepts, which of several wins, and what its limits do; and the calls of a user
 * who may also request what no target names.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { METHODS } from '../../src/gateway/config/config.ts';
import type { RequestArguments } from '../../src/gateway/request.ts';
import { DivertedPools, type Pipeline, startPipeline } from '../support/pipeline-parts.ts';
import { type SignedIn, startSignedIn } from '../support/signed-in.ts';
import { echo, startUpstream, type Upstream } from '../support/upstream.ts';

const KEY = 'sk-very-secret-value-1';
const CAP = 1_000;

let upstream: Upstream;
let other: Upstream;
let signedIn: SignedIn;

before(async () => {
  upstream = await startUpstream();
  other = await startUpstream();
  const target = (id: string, rest: object) => ({
    id,
    description: id,
    base_url: upstream.url,
    methods: ['GET', 'POST'],
    inject: { headers: { 'X-Target': `${id} \${key}` } },
    ...rest,
  });
  signedIn = await startSignedIn({
    server: {
      allow_networks: ['127.0.0.0/8'],
      request_timeout: '10s',
      max_response_bytes: CAP,
    },
    users: [
      {
        name: 'alice',
        secrets: { key: KEY },
        targets: [
          target('narrow', { paths: ['/first/only'], methods: ['GET'] }),
          target('wide', { paths: ['/first/**', '/second/*', '/q/a?c'] }),
          target('based', { base_url: `${upstream.url}/base/v1/` }),
          target('based-and-narrowed', {
            base_url: `${upstream.url}/narrow`,
            paths: ['/**/report', '/narrow/x/*'],
          }),
          target('slow', { paths: ['/slow'], timeout: '200ms' }),
          target('small', { paths: ['/small'], max_response_bytes: 10 }),
          target('redirects-off', { paths: ['/moved'] }),
          target('elsewhere', { base_url: other.url, paths: ['/first/only'] }),
        ],
      },
      {
        name: 'bob',
        secrets: { key: 'bobs-own-secret-key' },
        targets: [target('narrow', { paths: ['/first/only'] })],
      },
    ],
  });
});

beforeEach(() => {
  upstream.received.length = 0;
  upstream.answer = echo;
});

after(async () => {
  await signedIn.gateway.stop();
  await upstream.close();
  await other.close();
});

describe('the target of a call', () => {
  const rows: [path: string, target: string | undefined][] = [
    ['/first/only', 'narrow'],
    ['/first/only/', 'narrow'],
    ['//first/./only', 'narrow'],
    ['/first/%6fnly', 'narrow'],
    ['/first', 'wide'],
    ['/first/', 'wide'],
    ['/first/Only', 'wide'],
    ['/first/only/deeper', 'wide'],
    ['/first/a/b/c', 'wide'],
    ['/first%2Fa', 'wide'],
    ['/firstborn', undefined],
    ['/FIRST/a', undefined],
    ['/second', undefined],
    ['/second/a', 'wide'],
    ['/second/a.b-c', 'wide'],
    ['/second/a/b', undefined],
    ['/second/a%2Fb', undefined],
    ['/q/abc', 'wide'],
    ['/q/a%20c', 'wide'],
    ['/q/aéc', 'wide'],
    ['/q/ac', undefined],
    ['/q/a/c', undefined],
    ['/base/v1', 'based'],
    ['/base/v1/x', 'based'],
    ['/base/v10', undefined],
    ['/base/v2', undefined],
    ['/base', undefined],
    ['/narrow/report', 'based-and-narrowed'],
    ['/narrow/a/b/report', 'based-and-narrowed'],
    ['/report', undefined],
    ['/narrow/x/y', 'based-and-narrowed'],
    ['/narrow/x', undefined],
    ['/', undefined],
    ['', undefined],
  ];
  for (const [path, target] of rows) {
    test(`${path || '(no path)'}: ${target ?? 'no_target'}`, async () => {
      const { value, audit } = await signedIn.request('alice', { url: upstream.url + path });
      assert.equal(audit.target, target ?? null);
      if (target === undefined) {
        assert.equal(value.error, 'no_target');
        assert.equal(upstream.received.length, 0);
      } else {
        assert.equal(value.target, target);
        assert.equal(upstream.received[0]?.headers['x-target'], `${target} ${KEY}`);
      }
    });
  }

  test('depends on the scheme, the host and the port', async () => {
    const url = (origin: string) => ({ url: `${origin}/first/only` });
    const { port } = upstream;
    assert.equal((await signedIn.request('alice', url(other.url))).value.target, 'elsewhere');
    for (const origin of [
      `https://127.0.0.1:${port}`,
      `http://127.0.0.2:${port}`,
      'http://127.0.0.1:1',
      'http://127.0.0.1',
      `http://localhost:${port}`,
      `http://127.0.0.1.:${port}`,
    ]) {
      const { value } = await signedIn.request('alice', url(origin));
      assert.equal(value.error, 'no_target', origin);
    }
    for (const origin of [
      `HTTP://127.0.0.1:${port}`,
      `http://127.0.0.1:0${port}`,
      `http://127.1:${port}`,
    ]) {
      const { value } = await signedIn.request('alice', url(origin));
      assert.equal(value.target, 'narrow', origin);
    }
  });

  test('is the first that accepts the URL, though a later one would allow the method', async () => {
    const url = `${upstream.url}/first/only`;
    const { value, audit } = await signedIn.request('alice', { url, method: 'POST' });
    assert.equal(value.error, 'method_not_allowed');
    assert.equal(audit.target, 'narrow');
    assert.equal(audit.method, 'POST');
    assert.equal(upstream.received.length, 0);
  });

  test("is one of the caller's own, with the caller's own secret", async () => {
    const url = `${upstream.url}/first/only`;
    await signedIn.request('bob', { url });
    assert.equal(upstream.received[0]?.headers['x-target'], 'narrow bobs-own-secret-key');
    const { value } = await signedIn.request('bob', { url: `${upstream.url}/first/x` });
    assert.equal(value.error, 'no_target');
  });

  for (const method of [
    'PUT',
    'put',
    '',
    ' GET',
    'CONNECT',
    'TRACE',
    'GET /x HTTP/1.1\r\n',
    'ＧＥＴ',
  ]) {
    test(`does not allow the method ${JSON.stringify(method)}`, async () => {
      const { value } = await signedIn.request('alice', { url: `${upstream.url}/first/x`, method });
      assert.equal(value.error, 'method_not_allowed');
      assert.equal(value.status, 403);
      assert.equal(upstream.received.length, 0);
    });
  }
});

describe('limits of a target', () => {
  test("its timeout goes before the server's", async () => {
    upstream.answer = () => {};
    const { value, audit } = await signedIn.request('alice', { url: `${upstream.url}/slow` });
    assert.equal(value.error, 'upstream_timeout');
    assert.equal(value.status, 504);
    assert.equal(audit.status, 504);
    assert.deepEqual(audit.injected, ['key']);
  });

  test('its timeout also spans the body', async () => {
    upstream.answer = (_request, response) => {
      response.writeHead(200);
      response.write('begun');
    };
    const { value } = await signedIn.request('alice', { url: `${upstream.url}/slow` });
    assert.equal(value.error, 'upstream_timeout');
  });

  const sizes: [path: string, size: number, length: number, truncated: boolean][] = [
    ['/first/x', CAP, CAP, false],
    ['/first/x', CAP + 1, CAP, true],
    ['/small', 10, 10, false],
    ['/small', 11, 10, true],
    ['/small', 0, 0, false],
  ];
  for (const [path, size, length, truncated] of sizes) {
    test(`${size} bytes at ${path} come back as ${length}`, async () => {
      upstream.answer = (_request, response) => response.end('x'.repeat(size));
      const { value, audit } = await signedIn.request('alice', { url: upstream.url + path });
      assert.equal(String(value.body).length, length);
      assert.equal(value.truncated, truncated);
      assert.equal(audit.truncated, truncated);
      if (!truncated) assert.equal(audit.bytes, size);
    });
  }

  test('redirects are not followed unless it says so', async () => {
    upstream.answer = (_request, response) =>
      response.writeHead(302, { location: '/moved?again' }).end('over there');
    const { value } = await signedIn.request('alice', { url: `${upstream.url}/moved` });
    assert.equal(value.status, 302);
    assert.equal(value.body, 'over there');
    assert.equal((value.headers as Record<string, string>).location, '/moved?again');
    assert.equal(upstream.received.length, 1);
  });
});

describe("the server's timeout", () => {
  test('applies where a target has none, and not where it has one', async (t) => {
    const target = { description: 'd', base_url: upstream.url };
    const pipeline = startPipeline({
      server: { allow_networks: ['127.0.0.0/8'], request_timeout: '100ms' },
      users: [
        {
          name: 'alice',
          targets: [
            { ...target, id: 'short', paths: ['/short'] },
            { ...target, id: 'long', paths: ['/long'], timeout: '1h' },
          ],
        },
      ],
    });
    t.after(() => pipeline.close());
    // The long call is answered once the short one has run out of its time, and not before.
    const { promise: over, resolve } = Promise.withResolvers<void>();
    upstream.answer = ({ url }, response) => {
      if (url === '/long') void over.then(() => response.end('late'));
    };
    const long = pipeline.request('alice', { url: `${upstream.url}/long` });
    const short = await pipeline.request('alice', { url: `${upstream.url}/short` });
    resolve();
    assert.ok('error' in short && short.error === 'upstream_timeout');
    const result = await long;
    assert.ok('body' in result && result.body === 'late');
  });
});

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
