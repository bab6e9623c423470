/**
 * Redirects: a hop goes nowhere that the first request could not have gone, credentials are
 * attached afresh for each and reach nobody else, and method and body change as HTTP has it.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, beforeEach, describe, test } from 'node:test';
import { startPipeline } from '../support/gateway/pipeline-parts.ts';
import { startSignedIn } from '../support/gateway/signed-in.ts';
import { makeCertificates, startTlsFront } from '../support/http/tls-front.ts';
import { echo, type Received, startUpstream } from '../support/http/upstream.ts';

const KEY = 'sk-very-secret-value-1';
const TOKEN = 'token-very-secret-value';

const certificates = makeCertificates();

const upstream = await startUpstream();
const stranger = await startUpstream();
const front = await startTlsFront(upstream.port, certificates.good);
const target = (id: string, base_url: string, rest: object = {}) => ({
  id,
  description: id,
  base_url,
  methods: ['GET', 'HEAD', 'POST', 'PUT'],
  follow_redirects: true,
  inject: { headers: { Authorization: 'Bearer ${key}' }, query: { token: '${token}' } },
  ...rest,
});
const signedIn = await startSignedIn(
  {
    server: { allow_networks: ['127.0.0.0/8'] },
    users: [
      {
        name: 'alice',
        secrets: { key: KEY, token: TOKEN, other: 'another-secret-value' },
        targets: [
          target('in', `${upstream.url}/in`),
          target('secure', `${front.url}/in`),
          target('fields', `${upstream.url}/fields`, {
            inject: { body: { '$.auth.key': '${key}' } },
          }),
          target('post-only', `${upstream.url}/post`, { methods: ['POST'] }),
          target('slow', `${upstream.url}/slow`, { timeout: '200ms' }),
          target('other', `${upstream.url}/other`, {
            inject: { headers: { 'X-Other': '${other}' } },
          }),
          target('another-port', `${stranger.url}/in`),
        ],
      },
    ],
  },
  { NODE_EXTRA_CA_CERTS: certificates.authorityPath },
);

beforeEach(() => {
  upstream.received.length = 0;
  upstream.routes.clear();
  upstream.answer = echo;
});

after(async () => {
  await signedIn.gateway.stop();
  await upstream.close();
  await stranger.close();
  front.close();
  certificates.remove();
});

function redirect(path: string, location: string, status = 302): void {
  upstream.routes.set(path, (_request, response) =>
    response.writeHead(status, { location }).end('moved'),
  );
}

describe('a redirect that stays in the target is followed', () => {
  const rows: [location: string, received: string][] = [
    ['/in/b', '/in/b'],
    ['b', '/in/b'],
    ['./b/../c', '/in/c'],
    ['../in/b', '/in/b'],
    ['?x=1', '/in/a?x=1'],
    ['/in/b?x=%7e#fragment', '/in/b?x=%7e'],
    ['//127.0.0.1:PORT/in/b', '/in/b'],
    ['HTTP://127.0.0.1:PORT/in/b', '/in/b'],
    ['http://127.1:PORT/in/b', '/in/b'],
    ['/in/caf\u00c3\u00a9', '/in/caf%C3%A9'],
    ['/in/b?token=guess&TOKEN=guess&to%6ben=guess', '/in/b'],
  ];
  for (const [location, received] of rows) {
    test(`${location} leads to ${received}`, async () => {
      const to = location.replace('PORT', String(upstream.port));
      upstream.answer = (request, response) => {
        if (upstream.received.length > 1) echo(request, response);
        else response.writeHead(302, { location: to }).end();
      };
      const { value, audit } = await signedIn.request('alice', { url: `${upstream.url}/in/a` });
      assert.equal(value.status, 200);
      assert.equal(value.target, 'in');
      const [first, second] = upstream.received as [Received, Received];
      const [path, query] = received.split('?');
      const rest = query === undefined ? '' : `&${query}`;
      assert.equal(first.url, `/in/a?token=${TOKEN}`);
      assert.equal(second.url, `${path}?token=${TOKEN}${rest}`);
      assert.equal(second.headers.authorization, `Bearer ${KEY}`);
      assert.equal(audit.url, `${upstream.url}/in/a?token=[REDACTED]`);
      assert.equal(audit.status, 200);
      assert.deepEqual(audit.injected, ['key', 'token']);
    });
  }

  test('over TLS, too', async () => {
    redirect('/in/a', `${front.url}/in/b`);
    const { value } = await signedIn.request('alice', { url: `${front.url}/in/a` });
    assert.equal(value.status, 200);
    assert.equal(value.target, 'secure');
    assert.equal(upstream.received[1]?.headers.authorization, `Bearer ${KEY}`);
  });
});

describe('a redirect that leaves the target is refused', () => {
  const rows: [what: string, location: () => string][] = [
    ['to another path', () => '/out'],
    ['to a path that only begins alike', () => '/inside'],
    ['up and out', () => '../out'],
    ['up and out, encoded', () => '/in/%2e%2e/out'],
    ['up and out, encoded twice', () => '/in/%252e%252e/out'],
    ['up and out with a backslash', () => '/in/..\\out'],
    ['to another target of the user', () => '/other/x'],
    ['to another target on another port', () => `${stranger.url}/in/x`],
    ['to another port', () => 'http://127.0.0.1:1/in/x'],
    ['to another host', () => `//127.0.0.2:${upstream.port}/in/x`],
    ['to another host by a backslash', () => `\\\\127.0.0.2:${upstream.port}/in/x`],
    ['to https', () => `https://127.0.0.1:${upstream.port}/in/x`],
    ['with credentials', () => `http://me:pw@127.0.0.1:${upstream.port}/in/x`],
    ['to a name that is the host by another name', () => `http://localhost:${upstream.port}/in/x`],
    ['to no URL', () => 'http://['],
    ['to a script', () => 'javascript:alert(1)'],
    ['to a file', () => 'file:///etc/passwd'],
    ['to data', () => 'data:text/plain,x'],
    ['to the gateway', () => `${signedIn.gateway.url}/healthz`],
    ...[
      ...['127.0.0.1', '0', '2130706433', '0x7f.1', '0177.0.0.1', '[::1]', '[::ffff:7f00:1]'],
      ...['[::7f00:1]', '[64:ff9b::a9fe:a9fe]', '[2002:7f00:1::]', '169.254.169.254', '10.0.0.1'],
    ].map((host): [string, () => string] => [
      `to ${host}`,
      () => `http://${host}:${stranger.port}/in-no-target`,
    ]),
  ];
  for (const [what, location] of rows) {
    test(what, async () => {
      redirect('/in/a', location());
      const { isError, value, audit } = await signedIn.request('alice', {
        url: `${upstream.url}/in/a`,
      });
      assert.equal(isError, true);
      assert.equal(value.error, 'redirect_out_of_scope');
      assert.equal(value.status, 403);
      assert.equal(audit.error, 'redirect_out_of_scope');
      assert.equal(audit.target, 'in');
      assert.equal(upstream.received.length, 1);
      assert.equal(stranger.connections(), 0);
    });
  }

  test('to a URL that is not accepted, and the refusal says why', async () => {
    const rows: [location: string, reason: RegExp][] = [
      ['/in/b?q=100%', /stray %/],
      ['/in/caf%E9', /does not encode UTF-8/],
      ['ftp://127.0.0.1/in/b', /http:\/\/ or https:\/\//],
      ['http://me@127.0.0.1/in/b', /credentials/],
      ['http://[', /not valid/],
      ['/out', /^the upstream redirected to a URL outside the target$/],
    ];
    for (const [location, reason] of rows) {
      redirect('/in/a', location);
      const { value } = await signedIn.request('alice', { url: `${upstream.url}/in/a` });
      assert.equal(value.error, 'redirect_out_of_scope', location);
      assert.match(String(value.message), reason, location);
    }
  });

  test('from https to http', async () => {
    for (const location of [`http://127.0.0.1:${front.port}/in/b`, `${upstream.url}/in/b`]) {
      upstream.received.length = 0;
      redirect('/in/a', location);
      const { value } = await signedIn.request('alice', { url: `${front.url}/in/a` });
      assert.equal(value.error, 'redirect_out_of_scope');
      assert.equal(upstream.received.length, 1);
    }
  });

  test('also on a later hop', async () => {
    redirect('/in/a', '/in/b');
    redirect('/in/b', `${stranger.url}/in/x`);
    const { value } = await signedIn.request('alice', { url: `${upstream.url}/in/a` });
    assert.equal(value.error, 'redirect_out_of_scope');
    assert.equal(upstream.received.length, 2);
    assert.equal(stranger.connections(), 0);
  });
});

describe('the number of hops', () => {
  function chain(length: number): void {
    for (let i = 0; i < length; i++) redirect(`/in/${i}`, `/in/${i + 1}`);
  }

  test('five are followed', async () => {
    chain(5);
    const { value } = await signedIn.request('alice', { url: `${upstream.url}/in/0` });
    assert.equal(value.status, 200);
    assert.equal(upstream.received.length, 6);
  });

  test('a sixth is not: the answer is given as it is', async () => {
    chain(6);
    const { isError, value } = await signedIn.request('alice', { url: `${upstream.url}/in/0` });
    assert.equal(isError, false);
    assert.equal(value.status, 302);
    assert.equal((value.headers as Record<string, string>).location, '/in/6');
    assert.equal(value.body, 'moved');
    assert.equal(upstream.received.length, 6);
  });

  test('a redirect to itself ends', async () => {
    redirect('/in/a', '');
    const { value } = await signedIn.request('alice', { url: `${upstream.url}/in/a` });
    assert.equal(value.status, 302);
    assert.equal(upstream.received.length, 6);
  });
});

describe('method and body of a hop', () => {
  const rows: [status: number, method: string, next: string, keepsBody: boolean][] = [
    [301, 'POST', 'GET', false],
    [302, 'POST', 'GET', false],
    [303, 'POST', 'GET', false],
    [303, 'PUT', 'GET', false],
    [307, 'POST', 'POST', true],
    [308, 'POST', 'POST', true],
    [301, 'PUT', 'PUT', true],
    [302, 'PUT', 'PUT', true],
    [307, 'PUT', 'PUT', true],
    [301, 'HEAD', 'HEAD', false],
    [303, 'HEAD', 'HEAD', false],
    [302, 'GET', 'GET', false],
  ];
  for (const [status, method, next, keepsBody] of rows) {
    test(`${method} under ${status} becomes ${next} ${keepsBody ? 'with' : 'without'} its body`, async () => {
      redirect('/in/a', '/in/b', status);
      const withBody = method === 'POST' || method === 'PUT';
      await signedIn.request('alice', {
        url: `${upstream.url}/in/a`,
        method,
        headers: { 'X-Note': 'kept', 'Content-Type': 'text/csv', 'Content-Language': 'en' },
        ...(withBody ? { body: 'a,b' } : {}),
      });
      const second = upstream.received[1]!;
      assert.equal(second.method, next);
      assert.equal(second.body, keepsBody ? 'a,b' : '');
      assert.equal(second.headers['x-note'], 'kept');
      assert.equal(second.headers.authorization, `Bearer ${KEY}`);
      if (!withBody) return;
      assert.equal(second.headers['content-type'], keepsBody ? 'text/csv' : undefined);
      assert.equal(second.headers['content-language'], keepsBody ? 'en' : undefined);
      assert.equal(second.headers['content-length'], keepsBody ? '3' : undefined);
    });
  }

  test('a body field is injected into a kept body once, and not where there is no body', async () => {
    redirect('/fields/a', '/fields/b', 307);
    redirect('/fields/b', '/fields/c', 303);
    const { value } = await signedIn.request('alice', {
      url: `${upstream.url}/fields/a`,
      method: 'POST',
      body: '{ "n": 12345678901234567890 }',
    });
    assert.equal(value.status, 200);
    const injected = `{ "n": 12345678901234567890,"auth":{"key":"${KEY}"} }`;
    assert.deepEqual(
      upstream.received.map(({ method, body }) => [method, body]),
      [
        ['POST', injected],
        ['POST', injected],
        ['GET', ''],
      ],
    );
  });

  test('a hop whose new method the target does not allow is refused', async () => {
    redirect('/post/a', '/post/b', 303);
    const { value } = await signedIn.request('alice', {
      url: `${upstream.url}/post/a`,
      method: 'POST',
    });
    assert.equal(value.error, 'method_not_allowed');
    assert.equal(upstream.received.length, 1);
  });

  test('a hop whose query names a method that the target does not allow is refused', async () => {
    redirect('/in/a', '/in/b?_method=DELETE');
    const { value } = await signedIn.request('alice', { url: `${upstream.url}/in/a` });
    assert.equal(value.error, 'method_not_allowed');
    assert.equal(upstream.received.length, 1);
  });

  test('other 3xx, and a redirect without a place, are answers', async () => {
    for (const status of [300, 304, 305, 306]) {
      redirect('/in/a', '/in/b', status);
      const { value } = await signedIn.request('alice', { url: `${upstream.url}/in/a` });
      assert.equal(value.status, status);
    }
    upstream.routes.set('/in/a', (_request, response) => response.writeHead(302).end());
    assert.equal(
      (await signedIn.request('alice', { url: `${upstream.url}/in/a` })).value.status,
      302,
    );
  });
});

describe('on the way', () => {
  test('the time of a call spans its hops', async () => {
    redirect('/slow/a', '/slow/b');
    upstream.routes.set('/slow/b', () => {});
    const { value } = await signedIn.request('alice', { url: `${upstream.url}/slow/a` });
    assert.equal(value.error, 'upstream_timeout');
  });

  test('an endless body of a redirect is dropped with its connection', async () => {
    let closed: Promise<unknown> | undefined;
    upstream.routes.set('/in/a', (_request, response) => {
      closed = once(response, 'close');
      response.writeHead(302, { location: '/in/b' });
      response.write('never ends');
    });
    const { value } = await signedIn.request('alice', { url: `${upstream.url}/in/a` });
    assert.equal(value.status, 200);
    await closed;
  });

  test('every hop is looked up and checked anew', async (t) => {
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    const pipeline = startPipeline(
      {
        server: { allow_networks: ['127.0.0.0/8', '169.254.0.0/16'] },
        users: [
          {
            name: 'alice',
            targets: [
              {
                id: 'api',
                description: 'd',
                base_url: `http://api.test:${upstream.port}`,
                follow_redirects: true,
              },
            ],
          },
        ],
      },
      { resolve: async () => answers.shift() ?? [] },
    );
    t.after(() => pipeline.close());
    redirect('/a', '/b');
    const result = await pipeline.request('alice', {
      url: `http://api.test:${upstream.port}/a`,
    });
    assert.ok('error' in result && result.error === 'blocked_network');
    assert.equal(upstream.received.length, 1);
  });
});
