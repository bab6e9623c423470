/** What a target accepts, which of several wins, and what its limits do. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { startPipeline } from '../support/gateway/pipeline-parts.ts';
import { startSignedIn } from '../support/gateway/signed-in.ts';
import { echo, startUpstream } from '../support/http/upstream.ts';

const KEY = 'sk-very-secret-value-1';
const CAP = 1_000;

const upstream = await startUpstream();
const other = await startUpstream();
const target = (id: string, rest: object) => ({
  id,
  description: id,
  base_url: upstream.url,
  methods: ['GET', 'POST'],
  inject: { headers: { 'X-Target': `${id} \${key}` } },
  ...rest,
});
const signedIn = await startSignedIn({
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

test('no method is smuggled past a target by the query, in the URL or beside it', async () => {
  const url = `${upstream.url}/first/only`;
  for (const args of [{ url: `${url}?_method=DELETE` }, { url, query: { _Method: 'get' } }]) {
    const { value } = await signedIn.request('alice', args);
    assert.equal(value.error, 'method_not_allowed');
  }
  assert.equal(upstream.received.length, 0);
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
