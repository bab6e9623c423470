/** Tokens that a provider issues: when they are requested, kept, renewed and given up. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, beforeEach, describe, test } from 'node:test';
import { steadyClock } from '../../src/core/limits/steady-clock.ts';
import { type Pipeline, startPipeline } from '../support/gateway/pipeline-parts.ts';
import { type Received, startUpstream, type Upstream } from '../support/http/upstream.ts';

const CLIENT_SECRET = 'client-secret-Kq7vRzP2mXw9';
let pipeline: Pipeline;
let now: number;
let issued: number;

const tokenOf = (number: number) => `token-${number}-Vb5nM8qLx2Rt`;

function issue(fields: object = { expires_in: 3600 }) {
  return (_request: Received, response: ServerResponse) => {
    issued += 1;
    json(response, { access_token: tokenOf(issued), token_type: 'Bearer', ...fields });
  };
}

function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

const provider = await startUpstream();
const upstream = await startUpstream();
after(async () => {
  await provider.close();
  await upstream.close();
});

beforeEach(() => {
  provider.received.length = 0;
  upstream.received.length = 0;
  provider.answer = issue();
  upstream.answer = (_request, response) => response.end('ok');
  [now, issued] = [0, 0];
  pipeline = start();
});

function start(oauth2: object = {}, server: object = {}, clock = () => now): Pipeline {
  return startPipeline(
    {
      server: { allow_networks: ['127.0.0.0/8'], ...server },
      users: [
        {
          name: 'alice',
          secrets: {
            crm: {
              oauth2: {
                grant: 'client_credentials',
                token_url: `${provider.url}/token`,
                client_id: 'client',
                client_secret: CLIENT_SECRET,
                ...oauth2,
              },
            },
          },
          targets: [
            {
              ...{ id: 'body', description: 'd', base_url: upstream.url, paths: ['/body'] },
              methods: ['POST'],
              inject: { body: { '$.key': '${crm}' } },
            },
            {
              ...{ id: 'api', description: 'd', base_url: upstream.url },
              methods: ['GET', 'POST', 'HEAD'],
              inject: { headers: { Authorization: 'Bearer ${crm}' } },
            },
          ],
        },
      ],
    },
    { now: clock },
  );
}

const call = (method = 'GET') =>
  pipeline.request('alice', { url: `${upstream.url}/x`, method }) as Promise<
    Record<string, unknown>
  >;
const sent = () => upstream.received.map(({ headers }) => headers.authorization);
const requests = () => pipeline.lines().filter(({ event }) => event === 'token_requested');

describe('a token is requested and kept', () => {
  test('the request is that of RFC 6749, and the token is injected', async () => {
    pipeline = start({ scope: 'read write', parameters: { audience: 'https://api.example' } });
    assert.equal((await call()).status, 200);
    assert.deepEqual(sent(), [`Bearer ${tokenOf(1)}`]);
    const [request] = provider.received;
    const basic = Buffer.from(`client:${CLIENT_SECRET}`).toString('base64');
    assert.equal(request!.headers.authorization, `Basic ${basic}`);
    assert.deepEqual(Object.fromEntries(new URLSearchParams(request!.body)), {
      scope: 'read write',
      audience: 'https://api.example',
      grant_type: 'client_credentials',
    });
    const { user, secret, status, lifetime_s } = requests()[0]!;
    assert.deepEqual([user, secret, status, lifetime_s], ['alice', 'crm', 200, 3600]);
  });

  test('with client_auth post the secret is in the body', async () => {
    pipeline = start({ client_auth: 'post' });
    await call();
    const [request] = provider.received;
    assert.equal(request!.headers.authorization, undefined);
    assert.equal(new URLSearchParams(request!.body).get('client_secret'), CLIENT_SECRET);
  });

  test('a hundred calls at once cause one token request', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => call()));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal(provider.received.length, 1);
    assert.deepEqual([...new Set(sent())], [`Bearer ${tokenOf(1)}`]);
  });
});

describe('renewal', () => {
  const HOUR_MS = 3_600_000;

  test('until 80 % of its life the token is kept, then renewed behind a call that still uses it', async () => {
    await call();
    now = HOUR_MS * 0.8 - 1;
    await call();
    assert.equal(issued, 1);
    now = HOUR_MS * 0.8;
    await call();
    await requestsLogged(2);
    await call();
    assert.deepEqual(
      sent(),
      [1, 1, 1, 2].map((number) => `Bearer ${tokenOf(number)}`),
    );
  });

  test('without a call nothing is requested; after its end the token is not used', async () => {
    await call();
    now = HOUR_MS;
    assert.equal(issued, 1);
    await call();
    assert.deepEqual(sent().at(-1), `Bearer ${tokenOf(2)}`);
  });

  test('a token that lives under 300 s is used to 80 % of its life', async () => {
    provider.answer = issue({ expires_in: 100 });
    await call();
    now = 79_999;
    await call();
    assert.equal(issued, 1);
    now = 80_000;
    await call();
    assert.equal(sent().at(-1), `Bearer ${tokenOf(2)}`);
  });

  test('a provider that fails or hangs slows no call that has a valid token', async () => {
    await call();
    provider.answer = () => {};
    now = HOUR_MS * 0.9;
    assert.equal((await call()).status, 200);
    assert.equal((await call()).status, 200);
    assert.deepEqual(sent(), Array(3).fill(`Bearer ${tokenOf(1)}`));
  });

  test('calls without a token fail at once while the provider is not asked again', async () => {
    provider.answer = (_request, response) => json(response, { error: 'server_error' }, 500);
    for (const expected of [1, 1, 2]) {
      const refusal = await call();
      assert.deepEqual([refusal.error, refusal.status], ['credential_unavailable', 502]);
      assert.equal(provider.received.length, expected);
      now += 500;
    }
    provider.answer = issue();
    now += 2_000;
    assert.equal((await call()).status, 200);
  });

  test('the backoff doubles up to a minute', async () => {
    provider.answer = (_request, response) => json(response, { error: 'server_error' }, 500);
    const pauses = [1, 2, 4, 8, 16, 32, 60, 60];
    await call();
    for (const [index, seconds] of pauses.entries()) {
      now += seconds * 1_000 - 1;
      await call();
      assert.equal(provider.received.length, index + 1, `before ${seconds} s`);
      now += 1;
      await call();
      assert.equal(provider.received.length, index + 2, `after ${seconds} s`);
    }
  });
});

/** Resolves once that many token requests have been logged. */
async function requestsLogged(count: number): Promise<void> {
  while (requests().length < count) await new Promise((resolve) => setImmediate(resolve));
}

describe('no token is requested for a request that is refused', () => {
  const refused: [what: string, args: object, code: string][] = [
    [
      'a body that cannot be injected into',
      { path: '/body', method: 'POST', body: 'text' },
      'body_injection_failed',
    ],
    ['a method that is not allowed', { path: '/x', method: 'DELETE' }, 'method_not_allowed'],
    ['a reserved header', { path: '/x', headers: { Authorization: 'x' } }, 'reserved_header'],
    [
      'a body over 1 MiB',
      { path: '/x', method: 'POST', body: 'x'.repeat(2 ** 20 + 1) },
      'request_too_large',
    ],
  ];
  for (const [what, { path, ...args }, code] of refused as [string, { path: string }, string][]) {
    test(what, async () => {
      const refusal = await pipeline.request('alice', { url: `${upstream.url}${path}`, ...args });
      assert.equal((refusal as { error?: string }).error, code);
      assert.equal(provider.received.length, 0);
    });
  }

  test('and into a body the token is injected', async () => {
    const url = `${upstream.url}/body`;
    await pipeline.request('alice', { url, method: 'POST', body: '{"a":1}' });
    assert.deepEqual(JSON.parse(upstream.received[0]!.body), { a: 1, key: tokenOf(1) });
  });
});

describe('a clock that jumps', () => {
  let [wall, steady] = [0, 0];
  beforeEach(() => {
    [wall, steady] = [1_700_000_000_000, 0];
    pipeline = start(
      {},
      {},
      steadyClock(
        () => wall,
        () => steady,
      ),
    );
  });
  const pass = (ms: number) => {
    wall += ms;
    steady += ms;
  };

  test('set back, it makes no token live longer', async () => {
    await call();
    wall -= 86_400_000;
    pass(3_600_000);
    await call();
    assert.deepEqual(
      sent(),
      [1, 2].map((number) => `Bearer ${tokenOf(number)}`),
    );
  });

  test('set forward, as after sleep, it makes a token old', async () => {
    await call();
    wall += 7_200_000;
    await call();
    assert.deepEqual(
      sent(),
      [1, 2].map((number) => `Bearer ${tokenOf(number)}`),
    );
  });

  test('set back during a backoff, it does not make that longer', async () => {
    provider.answer = (_request, response) => json(response, { error: 'server_error' }, 500);
    await call();
    wall -= 86_400_000;
    provider.answer = issue();
    pass(1_000);
    assert.equal((await call()).status, 200);
  });
});

describe('an upstream that answers 401', () => {
  const rejecting = (tokens: readonly number[]) => {
    upstream.answer = ({ headers }, response) => {
      const isRejected = tokens.some(
        (number) => headers.authorization === `Bearer ${tokenOf(number)}`,
      );
      response.statusCode = isRejected ? 401 : 200;
      response.end(isRejected ? 'expired' : 'ok');
    };
  };

  for (const method of ['GET', 'HEAD']) {
    test(`${method} is repeated once, with a new token`, async () => {
      rejecting([1]);
      const { status } = await call(method);
      assert.equal(status, 200);
      assert.deepEqual(
        sent(),
        [1, 2].map((number) => `Bearer ${tokenOf(number)}`),
      );
    });
  }

  test('POST is not repeated, its 401 is returned, and the next call has a new token', async () => {
    rejecting([1]);
    const { status, body } = await call('POST');
    assert.deepEqual([status, body], [401, 'expired']);
    assert.equal((await call('POST')).status, 200);
    assert.deepEqual(
      sent(),
      [1, 2].map((number) => `Bearer ${tokenOf(number)}`),
    );
  });

  test('it is repeated once and not again', async () => {
    rejecting([1, 2, 3]);
    assert.equal((await call()).status, 401);
    assert.equal(upstream.received.length, 2);
  });

  test('five renewals a minute are forced, then the 401 is returned as it is', async () => {
    rejecting(Array.from({ length: 99 }, (_, index) => index));
    for (let calls = 0; calls < 20; calls++) assert.equal((await call()).status, 401);
    assert.equal(issued, 6);
    now += 60_000;
    await call();
    assert.equal(issued, 7);
  });

  test('calls that were refused with one token together renew it once', async () => {
    await call();
    rejecting([1]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => call()));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal(issued, 2);
  });
});

const lies: [what: string, answer: Upstream['answer'], code: string][] = [
  ['HTML', (_request, response) => html(response), 'invalid_response'],
  ['JSON that is no object', (_request, response) => json(response, ['x']), 'invalid_response'],
  [
    'JSON cut short',
    (_request, response) => text(response, '{"access_token": "abc'),
    'invalid_response',
  ],
  [
    'no token',
    (_request, response) => json(response, { token_type: 'Bearer' }),
    'invalid_response',
  ],
  [
    'a token that is a number',
    (_request, response) => json(response, { access_token: 1, token_type: 'Bearer' }),
    'invalid_response',
  ],
  [
    'no token_type',
    (_request, response) => json(response, { access_token: tokenOf(1) }),
    'invalid_response',
  ],
  ['expires_in: -1', issue({ expires_in: -1 }), 'invalid_response'],
  ['expires_in that is no number', issue({ expires_in: 'soon' }), 'invalid_response'],
  ['a token of 1 MB', issue({ access_token: 'x'.repeat(1_000_000) }), 'answer_too_large'],
  ['a token of 20 KB', issue({ access_token: 'x'.repeat(20_000) }), 'unusable_token'],
  [
    'a token with a line break',
    issue({ access_token: 'token\r\nX-Injected: 1' }),
    'unusable_token',
  ],
  ['a token too short to be redacted', issue({ access_token: 'short' }), 'unusable_token'],
  ['a redirect', (_request, response) => redirect(response), 'redirected'],
  ['a reset', (_request, response) => void response.socket!.destroy(), 'connection_failed'],
  [
    'an error code',
    (_request, response) => json(response, { error: 'invalid_client' }, 401),
    'invalid_client',
  ],
  [
    'an error with a challenge',
    (_request, response) => {
      response.setHeader('www-authenticate', 'Basic realm="x"');
      json(response, { error: 'invalid_client' }, 401);
    },
    'invalid_client',
  ],
  [
    'an error that is no code',
    (_request, response) => json(response, { error: CLIENT_SECRET }, 400),
    'unreadable_error',
  ],
  ['an error page', (_request, response) => html(response, 503), 'status_503'],
];
function html(response: ServerResponse, status = 200): void {
  response.writeHead(status, { 'content-type': 'text/html' });
  response.end('<html>sign in</html>');
}
function text(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(body);
}
function redirect(response: ServerResponse): void {
  response.writeHead(302, { location: `${upstream.url}/token` });
  response.end();
}

describe('a provider that answers with', () => {
  for (const [what, answer, code] of lies) {
    test(`${what}: refused as ${code}, and nothing is sent`, async () => {
      provider.answer = answer;
      assert.deepEqual(await call(), {
        error: 'credential_unavailable',
        message: `the gateway could not obtain a token for its secret crm (${code}); nothing was sent`,
        status: 502,
      });
      assert.equal(upstream.received.length, 0);
      assert.equal(requests()[0]!.error, code);
    });
  }

  test('no expires_in: the token is kept for an hour', async () => {
    provider.answer = issue({});
    await call();
    now = 3_599_999 * 0.8;
    await call();
    assert.equal(issued, 1);
    now = 3_600_000;
    await call();
    assert.equal(issued, 2);
  });

  test('expires_in: 0, or a life of a century: within bounds', async () => {
    provider.answer = issue({ expires_in: 0 });
    await call();
    await call();
    assert.equal(issued, 1);
    provider.answer = issue({ expires_in: 3e9 });
    now = 8_000;
    await call();
    now += 31 * 86_400_000;
    await call();
    assert.equal(issued, 3);
  });

  test('nothing: 504 at the time limit of the call, and the next call does not begin anew', async () => {
    pipeline = start({}, { request_timeout: '150ms' });
    provider.answer = () => {};
    const [first, second] = await Promise.all([call(), call()]);
    for (const { error, status } of [first, second]) {
      assert.deepEqual([error, status], ['credential_unavailable', 504]);
    }
    assert.equal(provider.received.length, 1);
  });
});

test('a private address of a provider needs allow_networks, also behind a name', async () => {
  const named = startPipeline(
    {
      users: [
        {
          name: 'alice',
          secrets: {
            crm: {
              oauth2: {
                ...{ grant: 'client_credentials', token_url: 'https://login.test/token' },
                ...{ client_id: 'client', client_secret: CLIENT_SECRET },
              },
            },
          },
          targets: [
            {
              ...{ id: 'api', description: 'd', base_url: 'https://93.184.216.34' },
              inject: { headers: { Authorization: 'Bearer ${crm}' } },
            },
          ],
        },
      ],
    },
    { resolve: async () => ['127.0.0.1'] },
  );
  const refusal = await named.request('alice', { url: 'https://93.184.216.34/' });
  assert.match(JSON.stringify(refusal), /\(blocked_network\)/);
});
