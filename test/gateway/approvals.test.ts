/** Requests that need a person's approval, in the pipeline: what waits, what passes, what never does. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { after, afterEach, describe, test } from 'node:test';
import { StoreUnavailable } from '../../src/core/store/shared-store.ts';
import { MemoryStore } from '../../src/core/store/store.ts';
import type { Peer } from '../../src/mcp/elicitation/peer.ts';
import { DivertedPools, type Pipeline, startPipeline } from '../support/gateway/pipeline-parts.ts';
import { startUpstream } from '../support/http/upstream.ts';

const TTL_MS = 600_000;

let clock = 0;
const upstream = await startUpstream();
const pipeline = start(() => clock);
after(async () => {
  pipeline.close();
  await upstream.close();
});
afterEach(() => {
  // Nothing of one test waits in the next.
  clock += 2 * 3_600_000;
});

function start(now: () => number): Pipeline {
  const target = (id: string, rest: object) => ({
    ...{ id, description: 'd', base_url: `${upstream.url}/${id}` },
    ...{ methods: ['GET', 'POST', 'PUT', 'DELETE'], ...rest },
  });
  const targets = [
    target('tracker', { approve: ['POST', 'DELETE'] }),
    target('keyed', {
      approve: ['POST'],
      inject: {
        headers: { 'X-Key': 'Key ${api_key}' },
        query: { token: '${api_key}' },
        body: { '$.auth.key': '${api_key}' },
      },
    }),
    target('limited', { approve: ['POST'], rate_limit: '1/h' }),
    target('partly', { approve: { paths: ['/partly/Admin/**', '/partly/tasks'] } }),
    target('moved', { approve: ['POST'], follow_redirects: true }),
  ];
  const secrets = { api_key: 'a-secret-of-the-user' };
  return startPipeline(
    {
      server: { allow_networks: ['127.0.0.0/8'] },
      users: [
        { name: 'ada', secrets, targets },
        { name: 'bob', secrets, targets },
      ],
    },
    { now },
  );
}

const post = (path: string, rest: object = {}) => ({
  ...{ url: `${upstream.url}${path}`, method: 'POST', body: '{"a":1}' },
  ...rest,
});
// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape.
const ask = async (args: object, user = 'ada', of = pipeline): Promise<any> =>
  of.request(user, args as never);
const decide = (id: string, how: 'once' | 'denied' | '15m' | '1h', reason?: string, user = 'ada') =>
  pipeline.decisions.decide(pipeline.person(user), id, how, reason);
const received = () => upstream.received.length;

test('a request that needs approval sends nothing, and passes once after it', async () => {
  const count = received();
  const first = await ask(post('/tracker/1'));
  assert.deepEqual([first.error, first.status], ['approval_required', 403]);
  assert.equal(first.approval_url, `https://gateway.test/approvals/${first.approval_id}`);
  const second = await ask(post('/tracker/1'));
  assert.equal(second.approval_id, first.approval_id);
  assert.equal(received(), count);
  assert.equal(await decide(first.approval_id, 'once'), true);
  assert.equal((await ask(post('/tracker/1'))).status, 200);
  assert.equal(received(), count + 1);
  const third = await ask(post('/tracker/1'));
  assert.equal(third.error, 'approval_required');
  assert.notEqual(third.approval_id, first.approval_id);
  const line = pipeline.lines().findLast((one) => one.status === 200)!;
  assert.equal(line.approval_id, first.approval_id);
  assert.deepEqual([line.approved_by, line.approved_for], ['ada', 'once']);
  assert.match(String(line.approved_at), /^2\d{3}-.*Z$/);
});

test('what needs no approval passes', async () => {
  assert.equal((await ask({ url: `${upstream.url}/tracker/1` })).status, 200);
  assert.equal((await ask(post('/tracker/1', { method: 'PUT' }))).status, 200);
});

describe('an approval covers one exact request:', () => {
  for (const [what, change] of [
    ['the path', { url: '/tracker/2' }],
    ['the query', { url: '/tracker/1?a=1' }],
    ['a query argument', { query: { a: 1 } }],
    ['the method', { method: 'DELETE' }],
    ['the body', { body: '{"a":2}' }],
    ['white space in the body', { body: '{"a":1} ' }],
    ['no body', { body: undefined }],
    ['an empty body', { body: '' }],
    ['a header', { headers: { 'X-A': '1' } }],
    ['the value of a header', { headers: { 'X-B': '2' } }],
    ['where one header ends', { headers: { 'x-b': '1', 'x-c': '' } }],
  ] as const) {
    test(`${what} is another one`, async () => {
      const base = post('/tracker/1', { headers: { 'X-B': '1' } });
      const { approval_id: id } = await ask(base);
      await decide(id, 'once');
      const { url = '/tracker/1', ...rest } = change as { url?: string };
      const other = await ask({ ...base, ...rest, url: `${upstream.url}${url}` });
      assert.equal(other.error, 'approval_required');
      assert.notEqual(other.approval_id, id);
      assert.equal((await ask(base)).status, 200);
    });
  }

  test('the case of header names and their order do not matter', async () => {
    const { approval_id: id } = await ask(
      post('/tracker/1', { headers: { 'X-B': '1', 'X-A': '2' } }),
    );
    await decide(id, 'once');
    assert.equal(
      (await ask(post('/tracker/1', { headers: { 'x-a': '2', 'x-b': '1' } }))).status,
      200,
    );
  });

  test('of one user', async () => {
    const { approval_id: id } = await ask(post('/tracker/1'));
    await decide(id, 'once');
    assert.equal((await ask(post('/tracker/1'), 'bob')).error, 'approval_required');
    assert.equal(await decide(id, 'once', undefined, 'bob'), false);
  });
});

test('of calls at once, one uses the approval', async () => {
  const { approval_id: id } = await ask(post('/tracker/1'));
  await decide(id, 'once');
  const count = received();
  const all = await Promise.all(Array.from({ length: 20 }, () => ask(post('/tracker/1'))));
  assert.equal(all.filter(({ status }) => status === 200).length, 1);
  assert.equal(new Set(all.map((one) => one.approval_id ?? '')).size, 2);
  assert.equal(received(), count + 1);
});

test('of decisions at once, one counts', async () => {
  const { approval_id: id } = await ask(post('/tracker/1'));
  const kinds = ['once', 'denied', '15m', '1h'] as const;
  const all = await Promise.all([...kinds, ...kinds].map((how) => decide(id, how)));
  assert.equal(all.filter(Boolean).length, 1);
  const decided = pipeline.lines().filter((line) => line.approval_id === id);
  assert.equal(decided.filter(({ event }) => event === 'approval_decided').length, 1);
});

test('a denial holds for the time of an approval, and says why', async () => {
  const { approval_id: id } = await ask(post('/tracker/1'));
  await decide(id, 'denied', 'not on a Friday');
  clock += TTL_MS - 1;
  const denied = await ask(post('/tracker/1'));
  assert.deepEqual([denied.error, denied.status, denied.approval_id], ['approval_denied', 403, id]);
  assert.match(denied.message, /not on a Friday/);
  assert.equal(denied.approval_url, undefined);
  clock += 1;
  assert.equal((await ask(post('/tracker/1'))).error, 'approval_required');
});

test('what expired begins anew, and an old page decides nothing', async () => {
  const { approval_id: id } = await ask(post('/tracker/1'));
  clock += TTL_MS;
  assert.equal(await decide(id, 'once'), false);
  const again = await ask(post('/tracker/1'));
  assert.notEqual(again.approval_id, id);
  assert.equal(await decide(id, 'once'), false);
  await decide(again.approval_id, 'once');
  clock += TTL_MS;
  assert.equal((await ask(post('/tracker/1'))).error, 'approval_required');
});

test('a grant lets pass any query and body of its path, for this client and time, until revoked', async () => {
  for (const [how, lastsMs] of [
    ['15m', 900_000],
    ['1h', 3_600_000],
  ] as const) {
    const { approval_id: id } = await ask(post('/tracker/1?a=1'));
    await decide(id, how);
    for (const args of [post('/tracker/1?a=1'), post('/tracker/1?b=2', { body: 'x' })]) {
      assert.equal((await ask(args)).status, 200);
    }
    const line = pipeline.lines().findLast(({ event }) => event === 'request')!;
    assert.deepEqual([line.approval_id, line.approved_for], [id, how]);
    for (const [args, user] of [
      [post('/tracker/1/2'), 'ada'],
      [post('/tracker/%31'), 'ada'],
      [post('/tracker/1', { method: 'DELETE' }), 'ada'],
      [post('/tracker/1'), 'bob'],
    ] as const) {
      assert.equal((await ask(args, user)).error, 'approval_required');
    }
    clock += lastsMs - 1;
    assert.equal((await ask(post('/tracker/1'))).status, 200);
    clock += 1;
    assert.equal((await ask(post('/tracker/1'))).error, 'approval_required');
    clock += TTL_MS;
  }
  const { approval_id: id } = await ask(post('/tracker/9'));
  await decide(id, '1h');
  assert.equal((await pipeline.decisions.grantsOf(pipeline.person('ada'))).length, 1);
  assert.equal(await pipeline.decisions.revoke(pipeline.person('bob'), id), false);
  assert.equal(await pipeline.decisions.revoke(pipeline.person('ada'), id), true);
  assert.equal((await ask(post('/tracker/9'))).error, 'approval_required');
});

test('body injection is judged before a person is asked', async () => {
  const { error } = await ask(post('/keyed/1', { body: 'not JSON' }));
  assert.equal(error, 'body_injection_failed');
});

test('the person sees the request as it would be sent, with [REDACTED] for each secret', async () => {
  const { approval_id: id } = await ask(post('/keyed/1?x=1', { headers: { 'X-Note': 'mine' } }));
  const found = await pipeline.decisions.find(pipeline.person('ada'), id);
  assert.equal(found?.request.url, `${upstream.url}/keyed/1?token=[REDACTED]&x=1`);
  const headers = new Map(found!.request.headers);
  assert.deepEqual([headers.get('x-key'), headers.get('x-note')], ['Key [REDACTED]', 'mine']);
  assert.deepEqual(found!.request.body, { text: '{"a":1,"auth":{"key":"[REDACTED]"}}' });
  assert.equal(await pipeline.decisions.find(pipeline.person('bob'), id), undefined);
  await decide(id, 'once');
  assert.equal(await pipeline.decisions.find(pipeline.person('ada'), id), undefined);
  await ask(post('/keyed/1?x=1', { headers: { 'X-Note': 'mine' } }));
  assert.match(upstream.received.at(-1)!.body.toString(), /a-secret-of-the-user/);
});

test('the rate token comes back when a person is asked or has denied, not when the call passed', async () => {
  const args = post('/limited/1');
  for (let round = 0; round < 3; round++) {
    assert.equal((await ask(args)).error, 'approval_required');
  }
  const { approval_id: id } = await ask(args);
  await decide(id, 'denied');
  for (let round = 0; round < 3; round++) {
    assert.equal((await ask(args)).error, 'approval_denied');
  }
  clock += TTL_MS;
  await decide((await ask(args)).approval_id, 'once');
  assert.equal((await ask(args)).status, 200);
  assert.equal((await ask(args)).error, 'rate_limited');
});

test('paths that need approval do so in any case, encoded repeatedly and with path parameters', async () => {
  for (const path of [
    '/partly/Admin/x',
    '/partly/admin/x',
    '/partly/ADMIN',
    '/partly/admin;a=1/x',
    '/partly/%2561dmin/x',
    '/partly/%252561dmin/x',
    '/partly/admin%252Fx',
    '/partly/admin%253Ba/x',
    // A long s, which an upstream that compares in upper case takes for an S.
    '/partly/ta%C5%BFks',
  ]) {
    assert.equal((await ask({ url: `${upstream.url}${path}` })).error, 'approval_required', path);
  }
  assert.equal((await ask(post('/partly/other'))).status, 200);
});

test('a redirect that needs approval is not followed', async () => {
  upstream.routes.set('/moved/from', (_request, response) => {
    response.writeHead(307, { location: '/moved/to' }).end();
  });
  await decide((await ask(post('/moved/from'))).approval_id, 'once');
  const count = received();
  const moved = await ask(post('/moved/from'));
  assert.equal(moved.error, 'redirect_out_of_scope');
  assert.match(moved.message, /needs its own approval/);
  assert.equal(received(), count + 1);
});

test('a redirect into an earlier target that asks, and another spelling of its URL, go nowhere', async () => {
  const before = received();
  for (const path of ['/TRACKER/1', '/%2574racker/1']) {
    assert.equal((await ask(post(path))).error, 'no_target', path);
  }
  assert.equal(received(), before);
  const all = { id: 'all', description: 'd', base_url: upstream.url, methods: ['POST'] };
  const asks = { ...all, id: 'asks', paths: ['/tracker/**'], approve: ['POST'] };
  const open = { ...all, follow_redirects: true };
  const other = startPipeline({
    server: { allow_networks: ['127.0.0.0/8'] },
    users: [{ name: 'ada', targets: [asks, open] }],
  });
  for (const path of ['/tracker/1', '/Tracker/1', '/%74racker/1']) {
    upstream.routes.set('/from', (_request, response) => {
      response.writeHead(307, { location: path }).end();
    });
    const moved = await ask(post('/from'), 'ada', other);
    assert.equal(moved.error, 'redirect_out_of_scope', path);
  }
  assert.equal(received(), before + 3);
  await other.close();
});

test('an approval that sent nothing serves again; one that was sent does not', async () => {
  const closed = await startUpstream();
  const other = startPipeline({
    server: { allow_networks: ['127.0.0.0/8'] },
    users: [
      {
        name: 'ada',
        targets: [
          { id: 't', description: 'd', base_url: closed.url, methods: ['POST'], approve: ['POST'] },
        ],
      },
    ],
  });
  const args = { url: `${closed.url}/x`, method: 'POST' };
  const { approval_id: id } = await ask(args, 'ada', other);
  await other.decisions.decide(other.person('ada'), id, 'once', undefined);
  await closed.close();
  for (let round = 0; round < 2; round++) {
    assert.equal((await ask(args, 'ada', other)).error, 'upstream_error');
  }
  other.close();

  upstream.routes.set('/tracker/reset', (_request, response) => response.destroy());
  await decide((await ask(post('/tracker/reset'))).approval_id, 'once');
  assert.equal((await ask(post('/tracker/reset'))).error, 'upstream_error');
  assert.equal((await ask(post('/tracker/reset'))).error, 'approval_required');
});

describe('what may change while a request waits is judged again:', () => {
  const HOST = 'tracker.example.com';
  const user = (target: object = {}) => ({
    name: 'ada',
    targets: [
      {
        ...{ id: 't', description: 'd', base_url: `http://${HOST}:${upstream.port}` },
        ...{ methods: ['POST'], approve: ['POST'], ...target },
      },
    ],
  });
  const args = {
    method: 'POST',
    get url() {
      return `http://${HOST}:${upstream.port}/x`;
    },
  };
  const approve = async (of: Pipeline, id: string) =>
    assert.ok(await of.decisions.decide(of.person('ada'), id, 'once', undefined));

  test('the destination, and the approval stays for the next call', async () => {
    const addresses = ['93.184.216.34', '10.0.0.7', '93.184.216.34'];
    const pools = new DivertedPools(upstream.url);
    const of = startPipeline({ users: [user()] }, { resolve: async () => [addresses[0]!], pools });
    const { approval_id: id } = await ask(args, 'ada', of);
    await approve(of, id);
    let lookups = 0;
    const rebinding = startPipeline(
      { users: [user()] },
      { resolve: async () => [addresses[lookups++]!], pools, stores: [of.store] },
    );
    rebinding.adopt(of, 'ada');
    assert.equal((await ask(args, 'ada', rebinding)).error, 'blocked_network');
    assert.equal((await ask(args, 'ada', of)).status, 200);
    assert.equal((await ask(args, 'ada', of)).error, 'approval_required');
    pools.closeAll();
  });

  test('the definition of the target: an approval of the former one is none', async () => {
    const pools = new DivertedPools(upstream.url);
    const of = startPipeline(
      { users: [user()] },
      { resolve: async () => ['93.184.216.34'], pools },
    );
    const { approval_id: id } = await ask(args, 'ada', of);
    await approve(of, id);
    of.reload([user({ inject: { headers: { 'X-Role': 'admin' } } })]);
    assert.equal((await ask(args, 'ada', of)).error, 'approval_required');
    of.reload([user()]);
    assert.equal((await ask(args, 'ada', of)).status, 200);
    const { approval_id: granted } = await ask(args, 'ada', of);
    await of.decisions.decide(of.person('ada'), granted, '1h', undefined);
    assert.equal((await ask(args, 'ada', of)).status, 200);
    of.reload([user({ inject: { headers: { 'X-Role': 'admin' } } })]);
    assert.equal((await ask(args, 'ada', of)).error, 'approval_required');
    pools.closeAll();
  });

  test('the configuration: a call that began before does not go on, and uses no approval', async () => {
    const pools = new DivertedPools(upstream.url);
    const of = startPipeline(
      { users: [user()] },
      { resolve: async () => ['93.184.216.34'], pools },
    );
    const { promise: asked, resolve } = Promise.withResolvers<{ id: string }>();
    const result = of.request('ada', args, undefined, {
      isAlive: async () => true,
      peer: peerThat(async (pending) => {
        resolve(pending);
        return true;
      }),
    });
    const { id } = await asked;
    of.reload([user()]);
    await approve(of, id);
    assert.equal(((await result) as { error?: string }).error, 'approval_required');
    assert.equal((await ask(args, 'ada', of)).status, 200);
    pools.closeAll();
  });
});

test('while the store cannot be reached, nothing that needs approval is sent', async () => {
  const store = new MemoryStore();
  store.get = () => Promise.reject(new StoreUnavailable('down'));
  const target = { id: 't', description: 'd', base_url: upstream.url };
  const of = startPipeline(
    {
      server: { allow_networks: ['127.0.0.0/8'] },
      users: [{ name: 'ada', targets: [{ ...target, methods: ['POST'], approve: ['POST'] }] }],
    },
    { stores: [store] },
  );
  const count = received();
  const refused = await ask(post('/x'), 'ada', of);
  assert.deepEqual([refused.error, refused.status], ['internal_error', 503]);
  assert.ok(refused.retry_after_ms > 0);
  assert.equal(received(), count);
  of.close();
});

describe('a flood', () => {
  test('of requests is refused from the hundredth on, and of another user not', async () => {
    for (let count = 0; count < 100; count++) {
      assert.equal((await ask(post(`/tracker/${count}`))).error, 'approval_required');
    }
    clock += 1_000;
    const flooded = await ask(post('/tracker/100'));
    assert.deepEqual([flooded.error, flooded.retry_after_ms], ['rate_limited', TTL_MS - 1_000]);
    assert.equal((await ask(post('/tracker/7'))).error, 'approval_required');
    assert.equal((await ask(post('/tracker/100'), 'bob')).error, 'approval_required');
    clock += TTL_MS;
    assert.equal((await ask(post('/tracker/100'))).error, 'approval_required');
  });

  test('of large bodies is refused at 8 MiB', async () => {
    const body = 'x'.repeat(1_048_576);
    for (let count = 0; count < 7; count++) {
      assert.equal((await ask(post(`/tracker/${count}`, { body }))).error, 'approval_required');
    }
    assert.equal((await ask(post('/tracker/7', { body }))).error, 'rate_limited');
    const headers = { 'X-Large': 'y'.repeat(100_000) };
    const large = await ask(post('/tracker/8', { body, headers }));
    assert.equal(large.error, 'request_too_large');
  });
});

describe('a call that waits', () => {
  /** Answers when `answer` does; the call begins to wait once `asked` resolves. */
  function waiting(args: object, answer: Promise<boolean>, isAlive = async () => true) {
    const { promise: asked, resolve } = Promise.withResolvers<{ id: string }>();
    const ended = Promise.withResolvers<void>();
    const cancel = new AbortController();
    const result = pipeline.request('ada', args as never, cancel.signal, {
      isAlive,
      peer: peerThat((pending) => {
        resolve(pending);
        return answer;
      }, ended.resolve),
      // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape.
    }) as Promise<any>;
    return { asked, result, cancel, ended: ended.promise };
  }

  test('goes on when the person approves, and tells the client that it is over', async () => {
    const call = waiting(post('/tracker/1'), Promise.resolve(true));
    const { id } = await call.asked;
    await decide(id, 'once');
    assert.equal((await call.result).status, 200);
    await call.ended;
  });

  test('goes on though the client has not answered, if the person has', async () => {
    const call = waiting(post('/tracker/1'), new Promise(() => {}));
    await decide((await call.asked).id, '15m');
    assert.equal((await call.result).status, 200);
  });

  test('goes on with all others that a grant covers, and none of them waits any more', async () => {
    const calls = ['1', '2', '3'].map((body) =>
      waiting(post('/tracker/1', { body }), Promise.resolve(true)),
    );
    const [first] = await Promise.all(calls.map(({ asked }) => asked));
    await decide(first!.id, '15m');
    for (const { result } of calls) assert.equal((await result).status, 200);
    assert.deepEqual(await pipeline.decisions.pendingOf(pipeline.person('ada')), []);
  });

  test('is refused when the person denies', async () => {
    const call = waiting(post('/tracker/1'), Promise.resolve(true));
    await decide((await call.asked).id, 'denied', 'no');
    assert.equal((await call.result).error, 'approval_denied');
  });

  test('is refused when the person will not look, or the client fails', async () => {
    for (const answer of [Promise.resolve(false), Promise.reject(new Error('gone'))]) {
      const call = waiting(post('/tracker/1'), answer);
      assert.equal((await call.result).error, 'approval_required');
    }
  });

  test('is not sent when its sign-in ended meanwhile', async () => {
    const count = received();
    const call = waiting(post('/tracker/1'), Promise.resolve(true), async () => false);
    await decide((await call.asked).id, 'once');
    assert.equal((await call.result).error, 'approval_required');
    assert.equal(received(), count);
  });

  test('leaves nothing when the client hangs up, and uses no approval', async () => {
    const call = waiting(post('/tracker/1'), Promise.resolve(true));
    const { id } = await call.asked;
    call.cancel.abort();
    assert.equal((await call.result).error, 'cancelled');
    await decide(id, 'once');
    assert.equal((await ask(post('/tracker/1'))).status, 200);
  });

  test('waits beside 31 others of its user at most', async () => {
    const calls = Array.from({ length: 32 }, (_, at) =>
      waiting(post(`/tracker/${at}`), Promise.resolve(true)),
    );
    await Promise.all(calls.map(({ asked }) => asked));
    const one = waiting(post('/tracker/more'), Promise.resolve(true));
    assert.equal((await one.result).error, 'approval_required');
    for (const { cancel } of calls) cancel.abort();
    await Promise.all(calls.map(({ result }) => result));
    const again = waiting(post('/tracker/more'), Promise.resolve(false));
    await again.asked;
    await again.result;
  });
});

/** A client of 2025-11-25 that opens pages; `complete` is called when there is nothing to ask any more. */
function peerThat(open: (page: { id: string }) => Promise<boolean>, complete = () => {}): Peer {
  return {
    abilities: ['elicitation.url'],
    ask: async ({ params }) => {
      const { elicitationId: id } = params as { elicitationId: string };
      return { action: (await open({ id })) ? 'accept' : 'decline' };
    },
    notify: complete,
  };
}
