/** Decoy targets: what the model sees of them, what is told, and what `freeze` ends. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { KEY, OTHER_KEY } from '../support/gateway/door.ts';
import { callTool, linesOf, signIn } from '../support/gateway/gateway.ts';
import { startPipeline } from '../support/gateway/pipeline-parts.ts';
import { PASSWORD, type SignedIn, startSignedIn } from '../support/gateway/signed-in.ts';
import { startUpstream, type Upstream } from '../support/http/upstream.ts';
import { readText } from './config-file.ts';

const DECOY = {
  id: 'payroll-admin',
  description: 'Admin API of the payroll system.',
  base_url: 'https://payroll.corp.example',
  methods: ['GET', 'POST'],
  decoy: true,
};
const CALL = { url: 'https://payroll.corp.example/v1/keys?all=1' };

test('a call to a decoy looks nothing up, and fails as one whose host cannot be resolved', async (t) => {
  const lookups: string[] = [];
  const real = { ...DECOY, id: 'real', base_url: 'https://real.corp.example', decoy: false };
  const pipeline = startPipeline(
    { users: [{ name: 'ann', targets: [DECOY, real] }] },
    {
      resolve: async (host) => {
        lookups.push(host);
        throw new Error('not found');
      },
    },
  );
  t.after(() => pipeline.close());
  const decoy = await pipeline.request('ann', CALL);
  assert.deepEqual(lookups, []);
  const outage = await pipeline.request('ann', { url: 'https://real.corp.example/' });
  assert.deepEqual(decoy, outage);
  assert.equal((decoy as { error?: string }).error, 'upstream_error');
  for (const [args, error] of [
    [{ ...CALL, method: 'DELETE' }, 'method_not_allowed'],
    [{ ...CALL, headers: { cookie: 'a' } }, 'reserved_header'],
  ] as const) {
    const refused = (await pipeline.request('ann', args)) as { error?: string };
    assert.equal(refused.error, error, 'it is checked as every call is');
  }
  const hits = pipeline.lines().filter(({ event }) => event === 'tripwire_hit');
  assert.deepEqual(
    hits.map(({ target, url, action }) => [target, url, action]),
    Array.from({ length: 3 }, () => ['payroll-admin', CALL.url, 'log']),
  );
  assert.deepEqual(
    hits.map(({ calls }) => Array.isArray(calls)),
    [true, false, false],
  );
});

for (const [what, target, message] of [
  ['a secret', { inject: { headers: { Authorization: 'Bearer $' + '{key}' } } }, /needs no secret/],
  ['an approval', { approve: { methods: ['GET'] } }, /omit approve/],
] as const) {
  test(`a decoy with ${what} is no configuration`, () => {
    const config = {
      server: { public_url: 'https://gateway.test' },
      users: [
        {
          name: 'ann',
          password: PASSWORD,
          secrets: { key: 'abcdefgh12' },
          targets: [{ ...DECOY, ...target }],
        },
      ],
    };
    assert.match(readText(JSON.stringify(config)).problems.join('\n'), message);
  });
}

describe('freeze', () => {
  let upstream: Upstream;
  let signedIn: SignedIn;
  before(async () => {
    upstream = await startUpstream();
    const real = { id: 'real', description: 'An API.', base_url: upstream.url };
    const targets = [real, DECOY];
    signedIn = await startSignedIn({
      server: { allow_networks: ['127.0.0.0/8'], on_tripwire: 'freeze' },
      users: [
        {
          name: 'ann',
          targets,
          keys: [
            { name: 'laptop', key: KEY },
            { name: 'other', key: OTHER_KEY },
          ],
        },
        { name: 'bob', targets },
      ],
    });
  });
  after(async () => {
    await signedIn.gateway.stop();
    await upstream.close();
  });

  test('the model sees a target as any other', async () => {
    const { gateway } = signedIn;
    const listed = await callTool(gateway.url, signedIn.token('bob'), 'list_targets', {});
    const text = JSON.stringify(listed);
    assert.match(text, /payroll-admin/);
    assert.doesNotMatch(text, /decoy|tripwire/i);
  });

  test('a hit ends that sign-in alone, after its answer, and tells its last calls', async () => {
    const { gateway } = signedIn;
    const other = await signIn(gateway.url, 'ann', PASSWORD);
    for (let n = 0; n < 25; n++) {
      await signedIn.request('ann', { url: `${upstream.url}/echo/${n}?secret=1` });
    }
    await signedIn.request('bob', { url: `${upstream.url}/of-bob` });
    const answer = await signedIn.request('ann', CALL);
    assert.match(JSON.stringify(answer), /upstream_error/);
    const [hit] = await linesOf(gateway, ['tripwire_hit'], 1);
    const { user, target, action, calls } = hit as unknown as {
      user: string;
      target: string;
      action: string;
      calls: { place: string; target: string; status: number }[];
    };
    assert.deepEqual([user, target, action], ['ann', 'payroll-admin', 'frozen']);
    const host = new URL(upstream.url).host;
    assert.deepEqual(
      calls.map(({ place }) => place),
      Array.from({ length: 20 }, (_, n) => `${host}/echo/${n + 5}`),
    );
    const post = (token: string) =>
      fetch(`${gateway.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      }).then(({ status }) => status);
    assert.equal(await post(signedIn.token('ann')), 401);
    for (const alive of [other.accessToken, signedIn.token('bob')]) {
      const listed = await callTool(gateway.url, alive, 'list_targets', {});
      assert.match(JSON.stringify(listed), /payroll-admin/);
    }
  });

  test('a hit through the HTTP door ends that key alone', async () => {
    const { gateway } = signedIn;
    const via = (path: string, key: string) =>
      fetch(`${gateway.url}/via/${path}`, { headers: { 'x-api-key': key } });
    assert.equal((await via('real/x', KEY)).status, 200);
    const answer = await via('payroll-admin/v1/keys', KEY);
    assert.equal(answer.status, 502);
    assert.match(await answer.text(), /upstream_error/);
    const hits = await linesOf(gateway, ['tripwire_hit'], 2);
    assert.deepEqual([hits[1]?.key, hits[1]?.action], ['laptop', 'frozen']);
    const refused = await via('real/x', KEY);
    assert.equal(refused.status, 401);
    const unknown = await via('real/x', 'gh_nobody-has-this-key-000000000000000000');
    assert.deepEqual(await refused.json(), await unknown.json());
    assert.equal((await via('real/x', OTHER_KEY)).status, 200);
  });
});
