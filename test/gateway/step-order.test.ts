/**
 * The order of the steps. For each step there is a way to break a call that reaches it; for
 * every pair of steps both ways are applied to one call, and the earlier step must refuse it.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startSignedIn } from '../support/gateway/signed-in.ts';
import { startUpstream } from '../support/http/upstream.ts';
import { freePort } from '../support/programs/free-port.ts';

/** A call before it is written down. Its target is chosen by origin and rate limit. */
interface Draft {
  origin: 'open' | 'own' | 'closed' | 'unknown';
  limit: 'free' | 'drained';
  path: string;
  method: string;
  headers: Record<string, string>;
  body: string;
}

interface Breaker {
  readonly step: number;
  readonly what: string;
  readonly code: string;
  readonly status: number;
  change(draft: Draft): Partial<Draft>;
}

/** White space before JSON is JSON still, so that only the size is wrong. */
const PADDING = ' '.repeat(1_048_576);

const BREAKERS: Breaker[] = [
  {
    ...{ step: 2, what: 'traversal in the path', code: 'invalid_url', status: 400 },
    change: ({ path }) => ({ path: `${path}/..` }),
  },
  {
    ...{ step: 3, what: 'a path of no target', code: 'no_target', status: 403 },
    change: ({ path }) => ({ path: `/nowhere${path}` }),
  },
  {
    ...{ step: 4, what: "the gateway's own address", code: 'blocked_network', status: 403 },
    change: () => ({ origin: 'own' }),
  },
  {
    ...{ step: 5, what: 'an empty bucket', code: 'rate_limited', status: 429 },
    change: () => ({ limit: 'drained' }),
  },
  {
    ...{ step: 6, what: 'a method that is not allowed', code: 'method_not_allowed', status: 403 },
    change: () => ({ method: 'DELETE' }),
  },
  {
    ...{ step: 7, what: 'a reserved header', code: 'reserved_header', status: 400 },
    change: ({ headers }) => ({ headers: { ...headers, Authorization: 'Bearer mine' } }),
  },
  {
    ...{ step: 7, what: 'a line break in a header', code: 'invalid_header', status: 400 },
    change: ({ headers }) => ({ headers: { ...headers, 'X-Note': 'a\r\nb' } }),
  },
  {
    ...{ step: 8, what: 'a body over 1 MiB', code: 'request_too_large', status: 413 },
    change: ({ body }) => ({ body: PADDING + body }),
  },
  {
    ...{ step: 9, what: 'a body that is not JSON', code: 'body_injection_failed', status: 400 },
    change: ({ body }) => ({ body: `${body} and more` }),
  },
  {
    ...{ step: 9.5, what: 'a request that needs approval', code: 'approval_required', status: 403 },
    change: ({ method }) => (method === 'POST' ? { method: 'PUT' } : {}),
  },
  {
    ...{ step: 10, what: 'a port nobody listens on', code: 'upstream_error', status: 502 },
    change: ({ origin }) => (origin === 'open' ? { origin: 'closed' } : {}),
  },
  {
    // The lookup fails at step 4, and is reported at step 10 only.
    ...{ step: 10, what: 'a name that does not exist', code: 'upstream_error', status: 502 },
    change: ({ origin }) => (origin === 'open' ? { origin: 'unknown' } : {}),
  },
];

function originOf(draft: Draft): string {
  switch (draft.origin) {
    case 'open':
      return upstream.url;
    case 'own':
      return signedIn.gateway.url;
    case 'closed':
      return `http://127.0.0.1:${closedPort}`;
    case 'unknown':
      return 'http://nowhere.invalid';
  }
}

function newDraft(): Draft {
  return { origin: 'open', limit: 'free', path: '/x', method: 'POST', headers: {}, body: '{}' };
}

async function outcomeOf(breakers: readonly Breaker[]) {
  const draft = newDraft();
  for (const breaker of breakers) Object.assign(draft, breaker.change(draft));
  const { path, method, headers, body } = draft;
  const prefix = path.startsWith('/nowhere') ? '' : `/${draft.limit}`;
  const url = `${originOf(draft)}${prefix}${path}`;
  return signedIn.request('alice', { url, method, headers, body });
}

const upstream = await startUpstream();
const closedPort = await freePort();
const origins = {
  open: upstream.url,
  own: 'http://127.0.0.1:PORT',
  closed: `http://127.0.0.1:${closedPort}`,
  unknown: 'http://nowhere.invalid',
};
const targets = Object.entries(origins).flatMap(([origin, url]) =>
  ['free', 'drained'].map((limit) => ({
    id: `${origin}-${limit}`,
    description: 'a target',
    base_url: `${url}/${limit}`,
    methods: ['POST', 'PUT'],
    approve: ['PUT'],
    inject: { headers: { 'X-Key': '${key}' }, body: { '$.key': '${key}' } },
    ...(limit === 'drained' ? { rate_limit: '1/h' } : {}),
  })),
);
const signedIn = await startSignedIn({
  server: { allow_networks: ['127.0.0.0/8'] },
  users: [{ name: 'alice', secrets: { key: 'alices-secret-key' }, targets }],
});
for (const origin of ['open', 'closed', 'unknown'] as const) {
  const url = `${originOf({ ...newDraft(), origin })}/drained/x`;
  await signedIn.request('alice', { url, method: 'POST', body: '{}' });
}
upstream.received.length = 0;

after(async () => {
  await signedIn.gateway.stop();
  await upstream.close();
});

describe('a call that breaks one step is refused by it', () => {
  test('and a call that breaks none is sent', async () => {
    const { isError, value } = await outcomeOf([]);
    assert.equal(isError, false);
    assert.equal(value.target, 'open-free');
    assert.equal(upstream.received.length, 1);
  });

  for (const breaker of BREAKERS) {
    test(`step ${breaker.step}, ${breaker.what}: ${breaker.code}`, async () => {
      const { isError, value, audit } = await outcomeOf([breaker]);
      assert.equal(isError, true);
      assert.equal(value.error, breaker.code);
      assert.equal(value.status, breaker.status);
      assert.equal(typeof value.message, 'string');
      assert.equal(audit.error, breaker.code);
      assert.equal(audit.status, breaker.status);
    });
  }
});

describe('a call that breaks two steps is refused by the earlier one', () => {
  for (const first of BREAKERS) {
    for (const second of BREAKERS) {
      if (first.step >= second.step) continue;
      test(`${first.what} before ${second.what}: ${first.code}`, async () => {
        // Applied in either order: what is written last must not decide.
        for (const breakers of [
          [first, second],
          [second, first],
        ]) {
          const { value, audit } = await outcomeOf(breakers);
          assert.equal(value.error, first.code);
          assert.equal(value.status, first.status);
          assert.equal(audit.error, first.code);
        }
      });
    }
  }

  test('a call that breaks every step is refused by step 2, and by step 1 without a token', async () => {
    assert.equal((await outcomeOf(BREAKERS)).value.error, 'invalid_url');
    const response = await fetch(`${signedIn.gateway.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer nobody' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'http_request', arguments: { url: 'http://x/..' } },
      }),
    });
    assert.equal(response.status, 401);
  });

  test('nothing of all this reached the upstream', () => {
    assert.equal(upstream.received.length, 1);
  });
});
