/** The two tools as docs/gateway.md describes them: every field of every result and every audit line. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { VERSION } from '../../src/core/version.ts';
import { callTool } from '../support/gateway/gateway.ts';
import { startSignedIn } from '../support/gateway/signed-in.ts';
import { echo, type Received, startUpstream } from '../support/http/upstream.ts';

const KEY = 'sk-very-secret-value-1';
const OTHER_KEY = 'sk-very-secret-value-2';

const upstream = await startUpstream();
const signedIn = await startSignedIn({
  server: { allow_networks: ['127.0.0.0/8'] },
  users: [
    {
      name: 'alice',
      secrets: { api_key: KEY, other_key: OTHER_KEY, unused_key: 'sk-never-attached' },
      targets: [
        {
          id: 'full',
          description: 'Everything set',
          base_url: `${upstream.url}/full`,
          methods: ['get', 'POST'],
          paths: ['/full/a/**', '/full/b/*'],
          rate_limit: '1000/s',
          timeout: '5s',
          max_response_bytes: 20,
          inject: {
            headers: { Authorization: 'Bearer ${api_key}' },
            query: { token: '${other_key}' },
          },
        },
        { id: 'plain', description: 'Only what is required', base_url: upstream.url },
      ],
    },
    { name: 'bob', allow_any: true },
  ],
});

beforeEach(() => {
  upstream.received.length = 0;
  upstream.answer = echo;
});

after(async () => {
  await signedIn.gateway.stop();
  await upstream.close();
});

describe('list_targets', () => {
  test('gives the six public fields of each target, in list order, and the flag', async () => {
    const { value, isError } = await callTool(
      signedIn.gateway.url,
      signedIn.token('alice'),
      'list_targets',
    );
    assert.equal(isError, false);
    assert.deepEqual(value, {
      targets: [
        {
          id: 'full',
          description: 'Everything set',
          base_url: `${upstream.url}/full`,
          methods: ['GET', 'POST'],
          paths: ['/full/a/**', '/full/b/*'],
          rate_limit: '1000/s',
        },
        {
          id: 'plain',
          description: 'Only what is required',
          base_url: upstream.url,
          methods: ['GET'],
          paths: ['/**'],
          rate_limit: 'unlimited',
        },
      ],
      allow_any: false,
    });
  });

  test('gives a user without targets an empty list, and nothing of another user', async () => {
    const { value } = await callTool(signedIn.gateway.url, signedIn.token('bob'), 'list_targets');
    assert.deepEqual(value, { targets: [], allow_any: true });
  });

  test('names no secret, no injected header and no injected parameter', async () => {
    const { raw } = await callTool(signedIn.gateway.url, signedIn.token('alice'), 'list_targets');
    for (const hidden of ['api_key', 'other_key', 'unused_key', 'uthorization', 'token', 'sk-']) {
      assert.ok(!raw.includes(hidden), hidden);
    }
  });
});

describe('http_request', () => {
  test('gives exactly the documented fields', async () => {
    upstream.answer = (_request, response) => {
      response.writeHead(201, [
        ...['Content-Type', 'text/plain', 'X-Mixed-Case', 'Value'],
        ...['X-Twice', 'one', 'x-twice', 'two'],
        ...['Set-Cookie', 'session=1', 'set-cookie', 'other=2', 'Set-Cookie2', 'old=3'],
      ]);
      response.end('created');
    };
    const { isError, value } = await signedIn.request('alice', { url: `${upstream.url}/x` });
    assert.equal(isError, false);
    const { headers, duration_ms, ...rest } = value;
    assert.deepEqual(rest, { status: 201, body: 'created', truncated: false, target: 'plain' });
    assert.ok(Number.isInteger(duration_ms) && (duration_ms as number) >= 0);
    const { date, ...others } = headers as Record<string, string>;
    assert.ok(date);
    assert.deepEqual(others, {
      'content-type': 'text/plain',
      'x-mixed-case': 'Value',
      'x-twice': 'one, two',
      connection: 'keep-alive',
      'keep-alive': 'timeout=5',
      'transfer-encoding': 'chunked',
    });
  });

  test('sends a GET with our agent and nothing else when only a URL is given', async () => {
    await signedIn.request('alice', { url: `${upstream.url}/x` });
    const [received] = upstream.received as [Received];
    assert.equal(received.method, 'GET');
    assert.equal(received.url, '/x');
    assert.equal(received.body, '');
    assert.deepEqual(received.headers, {
      host: `127.0.0.1:${upstream.port}`,
      connection: 'keep-alive',
      'user-agent': `gatehouse/${VERSION}`,
      accept: '*/*',
      'accept-encoding': 'identity',
    });
  });

  test('sends method, headers, query and body of the model', async () => {
    await signedIn.request('alice', {
      url: `${upstream.url}/full/a/x?keep=%7e&replace=1&replace=2`,
      method: 'post',
      headers: { 'X-Note': 'café', 'User-Agent': 'mine/1', accept: 'text/html' },
      query: { replace: 'new value', list: [1, true, 'x&y'], flag: false, none: [] },
      body: 'plain text',
    });
    const [received] = upstream.received as [Received];
    assert.equal(received.method, 'POST');
    assert.equal(
      received.url,
      `/full/a/x?token=${OTHER_KEY}&keep=%7e&replace=new%20value&list=1&list=true&list=x%26y&flag=false`,
    );
    assert.equal(received.body, 'plain text');
    assert.equal(received.headers['content-type'], 'text/plain');
    assert.equal(received.headers['user-agent'], 'mine/1');
    assert.equal(received.headers.accept, 'text/html');
    assert.equal(Buffer.from(received.headers['x-note'] as string, 'latin1').toString(), 'café');
    assert.equal(received.headers.authorization, `Bearer ${KEY}`);
  });

  const contentTypes: [body: string, given: string | undefined, sent: string][] = [
    ['{"a":1}', undefined, 'application/json'],
    ['[]', undefined, 'application/json'],
    ['a=b', undefined, 'text/plain'],
    ['', undefined, 'text/plain'],
    ['{"a":1}', 'application/x-www-form-urlencoded', 'application/x-www-form-urlencoded'],
  ];
  for (const [body, given, sent] of contentTypes) {
    test(`a body ${JSON.stringify(body)} of type ${given} is sent as ${sent}`, async () => {
      const headers = given ? { 'Content-Type': given } : {};
      const url = `${upstream.url}/full/a/x`;
      await signedIn.request('alice', { url, method: 'POST', headers, body });
      assert.equal(upstream.received[0]?.headers['content-type'], sent);
      assert.equal(upstream.received[0]?.body, body);
    });
  }

  for (const status of [200, 204, 301, 304, 400, 401, 403, 404, 418, 429, 500, 502, 503, 599]) {
    test(`an upstream ${status} is a result, not an error`, async () => {
      upstream.answer = (_request, response) => response.writeHead(status).end();
      const { isError, value, audit } = await signedIn.request('alice', { url: upstream.url });
      assert.equal(isError, false);
      assert.equal(value.status, status);
      assert.equal(audit.status, status);
      assert.equal(audit.error, undefined);
      assert.equal(audit.level, 'info');
    });
  }

  test('a secret that the upstream reflects is redacted before the cut', async () => {
    upstream.answer = (request, response) => {
      response.setHeader('X-Echo', request.headers.authorization ?? '');
      response.end(`0123456789${request.headers.authorization}tail`);
    };
    const { value, audit } = await signedIn.request('alice', { url: `${upstream.url}/full/a/x` });
    assert.equal((value.headers as Record<string, string>)['x-echo'], 'Bearer [REDACTED]');
    assert.equal(value.body, '0123456789Bearer ');
    assert.equal(value.truncated, true);
    assert.equal(audit.redacted, 2);
    assert.equal(audit.truncated, true);
  });

  const badArguments: [what: string, args: unknown, named: RegExp][] = [
    ['no url', {}, /url/],
    ['a number as url', { url: 1 }, /url/],
    ['null as url', { url: null }, /url/],
    ['a number as header', { url: 'http://h/', headers: { 'X-N': 1 } }, /headers/],
    ['null as header', { url: 'http://h/', headers: { 'X-N': null } }, /headers/],
    ['a list as headers', { url: 'http://h/', headers: ['a'] }, /headers/],
    ['an object as query value', { url: 'http://h/', query: { a: {} } }, /query/],
    ['a list in a list as query value', { url: 'http://h/', query: { a: [['b']] } }, /query/],
    ['an object as body', { url: 'http://h/', body: {} }, /body/],
    ['a number as method', { url: 'http://h/', method: 1 }, /method/],
    ['half a character in the body', { url: 'http://h/', body: 'a\ud800' }, /body/],
    ['half a character in the query', { url: 'http://h/', query: { a: ['b', '\udc00'] } }, /query/],
    ['half a character as a parameter', { url: 'http://h/', query: { '\ud800': 1 } }, /query/],
    ['an unknown argument', { url: 'http://h/', target: 'full' }, /target/],
  ];
  for (const [what, args, named] of badArguments) {
    test(`${what} is invalid_arguments and audited`, async () => {
      const { isError, value, audit } = await signedIn.request('alice', args);
      assert.equal(isError, true);
      assert.equal(value.error, 'invalid_arguments');
      assert.equal(value.status, 400);
      assert.match(String(value.message), named);
      assert.equal(audit.error, 'invalid_arguments');
      assert.equal(audit.user, 'alice');
    });
  }
});

describe('the audit line', () => {
  test('of an allowed call has every field', async () => {
    upstream.answer = (_request, response) => response.end('0123456789');
    const url = `${upstream.url}/full/b/x?a=1&TOKEN=guess`;
    const { audit } = await signedIn.request('alice', { url, method: 'get' });
    const { ts, duration_ms, ...rest } = audit;
    assert.match(ts, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Number.isInteger(duration_ms));
    assert.deepEqual(rest, {
      level: 'info',
      event: 'request',
      user: 'alice',
      client_id: signedIn.clientId('alice'),
      door: 'mcp',
      target: 'full',
      method: 'GET',
      url: `${upstream.url}/full/b/x?token=[REDACTED]&a=1`,
      status: 200,
      bytes: 10,
      truncated: false,
      injected: ['api_key', 'other_key'],
      redacted: 0,
    });
  });

  test('of a refused call has them, too, and the code', async () => {
    const url = `${upstream.url}/full/a/x`;
    const { audit } = await signedIn.request('alice', { url, method: 'DELETE' });
    const { ts, duration_ms, ...rest } = audit;
    assert.ok(ts && Number.isInteger(duration_ms));
    assert.deepEqual(rest, {
      level: 'warn',
      event: 'request',
      user: 'alice',
      client_id: signedIn.clientId('alice'),
      door: 'mcp',
      target: 'full',
      method: 'DELETE',
      url: `${upstream.url}/full/a/x?token=[REDACTED]`,
      status: 403,
      bytes: 0,
      truncated: false,
      injected: [],
      redacted: 0,
      error: 'method_not_allowed',
    });
  });

  test('of a call that matched no target has null for it', async () => {
    const { audit, value } = await signedIn.request('alice', { url: 'http://other.invalid/' });
    assert.equal(value.error, 'no_target');
    assert.equal(audit.target, null);
    assert.equal(audit.url, 'http://other.invalid/');
  });

  test('of a URL with credentials shows none of them', async () => {
    const urls = ['http://me:hunter22@127.0.0.1/', 'http:\\\\me:hunter22@h/', 'me:hunter22@h'];
    for (const url of urls) {
      const { audit, value } = await signedIn.request('alice', { url });
      assert.equal(value.error, 'invalid_url');
      assert.ok(!String(audit.url).includes('hunter22'), String(audit.url));
    }
  });

  test('holds no part of a body, at any level', async () => {
    upstream.answer = (_request, response) => response.end('body-of-the-answer');
    const url = `${upstream.url}/full/a/x`;
    await signedIn.request('alice', { url, method: 'POST', body: 'body-of-the-request' });
    assert.ok(!signedIn.gateway.stdout().includes('body-of-the'));
    assert.ok(!signedIn.gateway.stdout().includes('sk-'));
  });

  test('stays one short line whatever the model writes', async () => {
    const url = `${upstream.url}/x?${'long'.repeat(3_000)}`;
    const { audit } = await signedIn.request('alice', { url, method: 'GET\n'.repeat(100) });
    assert.ok(String(audit.url).length <= 2_050);
    assert.ok(String(audit.method).length <= 40);
  });

  test('is written for a bearer token that names nobody, with status 401', async () => {
    const before = signedIn.audits().length;
    const response = await fetch(`${signedIn.gateway.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer nobody' },
      body: '{}',
    });
    assert.equal(response.status, 401);
    assert.equal(((await response.json()) as { error: string }).error, 'unauthorized');
    const audit = await signedIn.audit(before);
    assert.equal(audit.status, 401);
    assert.equal(audit.user, null);
  });

  test('is written for a foreign origin, with status 403', async () => {
    const before = signedIn.audits().length;
    const headers = { origin: 'https://evil.example' };
    const response = await fetch(`${signedIn.gateway.url}/mcp`, { method: 'POST', headers });
    assert.equal(response.status, 403);
    const { status, error, user, client_id, target } = await signedIn.audit(before);
    const expected = [403, 'forbidden_origin', null, null, null];
    assert.deepEqual([status, error, user, client_id, target], expected);
  });

  test('comes without an internal error and without a word on standard error', () => {
    const kinds = new Set(signedIn.gateway.lines().map((line) => line.event));
    assert.ok(!kinds.has('internal_error'));
    assert.equal(signedIn.gateway.stderr(), '');
  });
});
