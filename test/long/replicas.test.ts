/**
 * Three replicas whose parts are killed, frozen, filled and failed over while clients call. Needs
 * `apt-get install --no-install-recommends redis-server haproxy`.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { rpc } from '../mcp/wire.ts';
import { signIn } from '../support/mcp/client.ts';
import { PASSWORD, PASSWORD_HASH } from '../support/oauth/password.ts';
import { freePort } from '../support/programs/free-port.ts';
import {
  type GatewayReplicas,
  type ReplicaOptions,
  startReplicas,
} from '../support/replicas/gateway-replicas.ts';
import { replicasMissing, run, startRedis, type TestRedis } from '../support/replicas/programs.ts';

const CONFIG = JSON.stringify({
  server: { trusted_proxies: ['127.0.0.1'] },
  users: [{ name: 'ada', password: PASSWORD_HASH, targets: [] }],
});
const CALLS_PER_SECOND = 200;

/** What a test has started, to be ended in the opposite order. */
const started: (() => Promise<unknown>)[] = [];

async function start(options: Partial<ReplicaOptions> = {}): Promise<GatewayReplicas> {
  const gateway = await startReplicas({ config: CONFIG, check: '/healthz', ...options });
  started.push(() => gateway.stop());
  return gateway;
}

async function startStore(options: readonly string[] = []): Promise<TestRedis> {
  const redis = await startRedis(options);
  started.push(() => redis.remove());
  return redis;
}

async function ping(url: string, token: string): Promise<number> {
  try {
    const answer = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(rpc('ping')),
      signal: AbortSignal.timeout(15_000),
    });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}

/** Calls at a steady rate until the work is done; gives how often each status came. */
async function underLoad(
  call: () => Promise<number>,
  work: () => Promise<void>,
): Promise<Map<number, number>> {
  const seen = new Map<number, number>();
  const running = new Set<Promise<void>>();
  let isDone = false;
  const calling = (async () => {
    while (!isDone) {
      const one = call().then((status) => {
        seen.set(status, (seen.get(status) ?? 0) + 1);
        running.delete(one);
      });
      running.add(one);
      await delay(1_000 / CALLS_PER_SECOND);
    }
    await Promise.all(running);
  })();
  await work();
  isDone = true;
  await calling;
  return seen;
}

async function refresh(gateway: GatewayReplicas, tokens: Tokens): Promise<Response> {
  return fetch(`${gateway.url}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: tokens.clientId,
      refresh_token: tokens.refreshToken,
    }),
  });
}

interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly clientId: string;
}

/** Passes bytes on to the store, and its answers back so much later, in their order. */
async function startSlowProxy(storePort: number, delayMs: number): Promise<number> {
  const proxy = createServer((client) => {
    const store = connect(storePort, '127.0.0.1');
    client.on('error', () => store.destroy()).pipe(store);
    store.on('error', () => client.destroy()).on('close', () => client.destroy());
    store.on('data', (bytes) => setTimeout(() => client.write(bytes), delayMs));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  started.push(async () => proxy.close());
  return (proxy.address() as AddressInfo).port;
}

async function untilReady(gateway: GatewayReplicas): Promise<void> {
  for (const { url } of gateway.replicas) {
    while ((await fetch(`${url}/readyz`)).status !== 200) await delay(50);
  }
}

describe('replicas whose parts fail', { skip: replicasMissing() }, () => {
  afterEach(async () => {
    for (const end of started.splice(0).reverse()) await end();
  });

  test('kill -9 of a replica fails only what runs there, and nothing for a client that retries', async () => {
    const gateway = await start();
    const { accessToken } = await signIn(gateway.url, 'ada', PASSWORD);
    const once = () => ping(gateway.url, accessToken);
    const retrying = async () => {
      for (let attempt = 0; ; attempt++) {
        const status = await once();
        if (status === 200 || attempt === 5) return status;
        await delay(100);
      }
    };
    const kill = (index: number) => async () => {
      await delay(1_000);
      gateway.replicas[index]!.signal('SIGKILL');
      await gateway.replicas[index]!.exited;
      await delay(2_000);
    };
    const seen = await underLoad(once, kill(0));
    const failed = [...seen].reduce(
      (sum, [status, count]) => sum + (status === 200 ? 0 : count),
      0,
    );
    // As many as were in flight at one moment, and those of the checks that had not noticed.
    assert.ok(failed < CALLS_PER_SECOND / 2, `${failed} failed: ${[...seen]}`);
    await gateway.restart(0);
    assert.deepEqual([...(await underLoad(retrying, kill(1))).keys()], [200]);
    await gateway.restart(1);
  });

  test('all replicas are restarted one after another, and nobody is signed out', async () => {
    const gateway = await start();
    const { accessToken } = await signIn(gateway.url, 'ada', PASSWORD);
    const seen = await underLoad(
      () => ping(gateway.url, accessToken),
      async () => {
        for (const index of gateway.replicas.keys()) {
          const old = gateway.replicas[index]!;
          assert.equal(await old.stop(), 0);
          await gateway.restart(index);
          await delay(1_000);
        }
      },
    );
    assert.equal(seen.get(401), undefined);
    assert.equal(seen.get(404), undefined);
    assert.ok(seen.get(200)! > 500, `${[...seen]}`);
  });

  test('a store that is killed and keeps its data comes back with every sign-in', async () => {
    const redis = await startStore(['--appendonly', 'yes', '--appendfsync', 'always']);
    const gateway = await start({ redis });
    const tokens = await signIn(gateway.url, 'ada', PASSWORD);
    const seen = await underLoad(
      () => ping(gateway.url, tokens.accessToken),
      async () => {
        await redis.stop('SIGKILL');
        await delay(3_000);
        await redis.restart();
        await untilReady(gateway);
      },
    );
    assert.deepEqual([...seen.keys()].sort(), [200, 503]);
    assert.equal(await ping(gateway.url, tokens.accessToken), 200);
    assert.equal((await refresh(gateway, tokens)).status, 200);
  });

  test('a store that is killed and comes back empty has everyone sign in again, and serves them', async () => {
    const redis = await startStore();
    const gateway = await start({ redis });
    const before = await signIn(gateway.url, 'ada', PASSWORD);
    assert.equal(await ping(gateway.url, before.accessToken), 200);
    await redis.stop('SIGKILL');
    await redis.restart();
    await untilReady(gateway);
    // Within a second a replica may still have what it heard of the token.
    while ((await ping(gateway.url, before.accessToken)) !== 401) await delay(50);
    assert.notEqual((await refresh(gateway, before)).status, 200);
    const after = await signIn(gateway.url, 'ada', PASSWORD);
    assert.equal(await ping(gateway.url, after.accessToken), 200);
  });

  test('a store that is frozen for ten seconds costs 503, never 401, and no sign-in', async () => {
    const gateway = await start();
    const tokens = await signIn(gateway.url, 'ada', PASSWORD);
    const seen = await underLoad(
      () => ping(gateway.url, tokens.accessToken),
      async () => {
        gateway.redis.child.kill('SIGSTOP');
        await delay(10_000);
        gateway.redis.child.kill('SIGCONT');
        await untilReady(gateway);
      },
    );
    assert.deepEqual([...seen.keys()].sort(), [200, 503]);
    assert.equal(await ping(gateway.url, tokens.accessToken), 200);
    assert.equal((await refresh(gateway, tokens)).status, 200);
  });

  test('a store that answers 100 ms late slows sign-ins, and calls only once a second', async () => {
    const redis = await startStore();
    const slow = await startSlowProxy(redis.port, 100);
    const gateway = await start({ redis, storeUrl: `redis://127.0.0.1:${slow}/0` });
    const tokens = await signIn(gateway.url, 'ada', PASSWORD);
    const seen = await underLoad(
      () => ping(gateway.url, tokens.accessToken),
      () => delay(5_000),
    );
    assert.deepEqual([...seen.keys()], [200]);
    assert.equal((await refresh(gateway, tokens)).status, 200);
  });

  test('a store that is full refuses new sign-ins with 503 and serves those it has', async () => {
    const gateway = await start();
    const tokens = await signIn(gateway.url, 'ada', PASSWORD);
    await gateway.redis.admin((connection) => connection.config('SET', 'maxmemory', '1'));
    const registered = await fetch(`${gateway.url}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['http://127.0.0.1:9/'] }),
    });
    assert.equal(registered.status, 503);
    await delay(1_100);
    for (let call = 0; call < 3; call++) {
      assert.equal(await ping(gateway.url, tokens.accessToken), 200);
    }
    assert.equal((await refresh(gateway, tokens)).status, 503);
    await gateway.redis.admin((connection) => connection.config('SET', 'maxmemory', '0'));
    assert.equal((await refresh(gateway, tokens)).status, 200);
  });

  test('a start without a store gives up after 30 s', async () => {
    const started = performance.now();
    const port = await freePort();
    await assert.rejects(
      start({ count: 1, storeUrl: `redis://127.0.0.1:${port}/0` }),
      /ended with 1:.*the store redis:\/\/127\.0\.0\.1:\d+\/0 cannot be reached/s,
    );
    assert.ok(performance.now() - started >= 30_000);
  });

  test('when three Sentinels fail over, replicas follow and nobody is signed out', async () => {
    const master = await startStore();
    const follower = await startStore(['--replicaof', '127.0.0.1', String(master.port)]);
    const ports = await Promise.all([1, 2, 3].map(freePort));
    const sentinels = await Promise.all(
      ports.map((port, index) => {
        const path = join(master.directory, `sentinel-${index}.conf`);
        const lines = [
          `port ${port}`,
          `dir ${master.directory}`,
          `sentinel monitor store 127.0.0.1 ${master.port} 2`,
          'sentinel down-after-milliseconds store 1000',
          'sentinel failover-timeout store 5000',
        ];
        writeFileSync(path, `${lines.join('\n')}\n`);
        return run('redis-server', [path, '--sentinel'], port);
      }),
    );
    for (const sentinel of sentinels) started.push(() => sentinel.stop('SIGKILL'));
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
    const gateway = await start({
      redis: master,
      storeUrl: `redis+sentinel://${hosts}/store`,
    });
    const tokens = await signIn(gateway.url, 'ada', PASSWORD);
    const held = () => follower.admin((connection) => connection.keys('*sign-ins}:records'));
    while ((await held()).length === 0) await delay(20);
    const seen = await underLoad(
      () => ping(gateway.url, tokens.accessToken),
      async () => {
        await master.stop('SIGKILL');
        await delay(3_000);
        await untilReady(gateway);
        // Ready means that it answers; writes go on once the follower is the master.
        while ((await refresh(gateway, tokens)).status === 503) await delay(100);
      },
    );
    assert.deepEqual([...seen.keys()].sort(), [200, 503]);
    assert.equal(await ping(gateway.url, tokens.accessToken), 200);
  });
});
