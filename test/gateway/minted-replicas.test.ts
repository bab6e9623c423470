/** Three replicas with one store and a refresh token that the provider rotates, through the HTTP door. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { digestOf, KEY } from '../support/gateway/door.ts';
import {
  CLIENT,
  type OAuthProvider,
  startOAuthProvider,
} from '../support/gateway/oauth-provider.ts';
import { startUpstream, type Upstream } from '../support/http/upstream.ts';
import { PASSWORD_HASH } from '../support/oauth/password.ts';
import { type GatewayReplicas, startReplicas } from '../support/replicas/gateway-replicas.ts';
import { replicasMissing } from '../support/replicas/programs.ts';

describe('three replicas', { skip: replicasMissing() }, () => {
  let gateway: GatewayReplicas;
  let provider: OAuthProvider;
  let upstream: Upstream;
  const directory = mkdtempSync(join(tmpdir(), 'minted-replicas-'));
  const tokenFile = join(directory, 'calendar.token');

  const config = (keys: object[]) =>
    JSON.stringify({
      server: { allow_networks: ['127.0.0.0/8'], trusted_proxies: ['127.0.0.1'] },
      users: [
        {
          ...{ name: 'ann', password: PASSWORD_HASH, keys },
          secrets: {
            calendar: {
              oauth2: {
                ...{ grant: 'refresh_token', refresh_token: `file:${tokenFile}` },
                ...{ client_id: CLIENT.id, client_secret: CLIENT.secret },
                token_url: `${provider.url}/token`,
              },
            },
          },
          targets: [
            {
              ...{ id: 'calendar', description: 'd', base_url: upstream.url },
              inject: { headers: { Authorization: 'Bearer ${calendar}' } },
            },
          ],
        },
      ],
    });
  const key = { name: 'laptop', key: digestOf(KEY) };

  before(async () => {
    provider = await startOAuthProvider();
    upstream = await startUpstream();
    writeFileSync(tokenFile, await provider.refreshToken());
    gateway = await startReplicas({ config: config([key]) });
  });
  after(async () => {
    await gateway?.stop();
    await upstream.close();
    await provider.close();
    rmSync(directory, { recursive: true });
  });

  const get = async (url: string) => {
    const headers = { authorization: `Bearer ${KEY}` };
    const answer = await fetch(`${url}/via/calendar/events`, { headers });
    return { status: answer.status, body: await answer.text() };
  };
  /** Ten calls at each replica, all at once; their statuses without repetition. */
  const callAll = async () => {
    const calls = gateway.replicas.flatMap(({ url }) => Array.from({ length: 10 }, () => get(url)));
    return [...new Set((await Promise.all(calls)).map(({ status }) => status))];
  };
  const tokenRequests = () =>
    gateway
      .lines()
      .filter(({ event }) => event === 'token_requested')
      .map(({ status }) => status);
  const lastToken = () => String(upstream.received.at(-1)!.headers.authorization).slice(7);

  test('that need a token at once spend the refresh token once', async () => {
    assert.deepEqual(await callAll(), [200]);
    assert.deepEqual(tokenRequests(), [200]);
    assert.ok(await provider.accepts(lastToken()));
  });

  test('whose token the upstream rejects renew it once, with the rotated one', async () => {
    const rejected = `Bearer ${lastToken()}`;
    const spent = readFileSync(tokenFile, 'utf8');
    upstream.answer = (request, response) => {
      response.statusCode = request.headers.authorization === rejected ? 401 : 200;
      response.end();
    };
    assert.deepEqual(await callAll(), [200]);
    assert.deepEqual(tokenRequests(), [200, 200]);
    assert.notEqual(readFileSync(tokenFile, 'utf8'), spent);
    assert.ok(await provider.accepts(lastToken()));
  });

  test('keep the token of another replica out of answers, too', async () => {
    const token = lastToken();
    upstream.answer = (_request, response) => response.end(`it was ${token}`);
    for (const { url } of gateway.replicas) {
      assert.deepEqual(await get(url), { status: 200, body: 'it was [REDACTED]' });
    }
  });

  test('let nobody in with a key that was removed, once they have reloaded', async () => {
    gateway.writeConfig(
      config([{ name: 'other', key: 'gh_another-key-of-the-user-00000000000000' }]),
    );
    const reloaded = gateway.linesThat(({ event }) => event === 'config_reloaded', 3);
    gateway.signal('SIGHUP');
    await reloaded;
    for (const { url } of gateway.replicas) assert.equal((await get(url)).status, 401);
  });

  test('write no key, token or secret into their log or the store', async () => {
    const log = `${gateway.stdout()}${gateway.stderr()}`;
    const stored = await gateway.redis.admin(async (connection) => {
      const names = await connection.keys('*:records');
      return JSON.stringify(await Promise.all(names.map((name) => connection.hgetall(name))));
    });
    assert.match(stored, /sealed/);
    const used = upstream.received.map(({ headers }) => String(headers.authorization).slice(7));
    for (const value of [KEY, CLIENT.secret, readFileSync(tokenFile, 'utf8').trim(), ...used]) {
      assert.ok(!log.includes(value) && !stored.includes(value), value.slice(0, 8));
    }
  });
});
