/**
 * The network guard, attacked through the tool: literal tricks, names that lie, the gateway's
 * own address, proxy variables. A refusal only counts where no connection was opened.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, describe, test } from 'node:test';
import type { Pool } from 'undici';
import type { Resolver } from '../../src/core/net/guard.ts';
import { UpstreamPools } from '../../src/gateway/upstream/pools.ts';
import {
  DivertedPools,
  type Pipeline,
  type PipelineOptions,
  startPipeline,
} from '../support/gateway/pipeline-parts.ts';
import { startSignedIn } from '../support/gateway/signed-in.ts';
import { startUpstream } from '../support/http/upstream.ts';

let trapped = 0;
const pipelines: Pipeline[] = [];

const upstream = await startUpstream();
const proxy = await startUpstream();
const trap = createServer((socket) => {
  trapped += 1;
  socket.destroy();
});
trap.listen(0);
await once(trap, 'listening');
const trapPort = (trap.address() as AddressInfo).port;
const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy'];
const signedIn = await startSignedIn(
  {
    server: { allow_networks: ['127.0.0.0/8', '169.254.0.0/16'], request_timeout: '5s' },
    users: [
      {
        name: 'alice',
        targets: [
          { id: 'api', description: 'd', base_url: upstream.url },
          { id: 'self', description: 'd', base_url: 'http://127.0.0.1:PORT' },
          { id: 'self-by-name', description: 'd', base_url: 'http://localhost:PORT' },
          { id: 'self-by-another', description: 'd', base_url: 'http://127.8.8.8:PORT' },
          { id: 'unknown', description: 'd', base_url: 'http://nowhere.invalid' },
        ],
      },
      { name: 'anyone', allow_any: true },
    ],
  },
  {
    ...Object.fromEntries(proxies.map((name) => [name, proxy.url])),
    NODE_USE_ENV_PROXY: '1',
  },
);

after(async () => {
  for (const pipeline of pipelines) pipeline.close();
  await signedIn.gateway.stop();
  await upstream.close();
  await proxy.close();
  trap.close();
});

describe('to a user with allow_any, blocked is', () => {
  const hosts = [
    // Loopback in every notation that a URL parser reads.
    ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f.1', '0x7F000001', '0177.0.0.1'],
    ...['017700000001', '127.0.0.1.', '127.255.255.254', '0x7f.0x0.0x0.0x1', '00000177.1'],
    ...['１２７.０.０.１', '127。0。0。1', '127.0.0.1。', '①②⑦.0.0.1'],
    ...['localhost', 'LOCALHOST', 'localhost.', 'a.b.localhost', 'ⓛocalhost', 'loc\u00adalhost'],
    // This machine and its network.
    ...['0', '0.0.0.0', '0x0', '[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[::0001]'],
    // IPv6 that carries an IPv4 address.
    ...[
      '[::ffff:7f00:1]',
      '[::ffff:127.0.0.1]',
      '[::FFFF:0:7f00:1]',
      '[::7f00:1]',
      '[::127.0.0.1]',
    ],
    ...['[64:ff9b::a9fe:a9fe]', '[64:ff9b::127.0.0.1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]'],
    ...['[2001:0:7f00:1::]', '[2a00:1450::5efe:127.0.0.1]', '[2a00:1450::200:5efe:10.0.0.1]'],
    // Metadata services, private networks, and what nobody should be asked for.
    ...['169.254.169.254', '2852039166', '0xA9FEA9FE', '0251.0376.0251.0376', '169.254.170.2'],
    ...['[fd00:ec2::254]', '168.63.129.16', '100.100.100.200', '192.0.0.192'],
    ...['10.0.0.1', '10.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.257'],
    ...['100.64.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '192.88.99.1'],
    ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '4294967295'],
    ...['[fe80::1]', '[fc00::1]', '[fd12:3456::1]', '[ff02::1]', '[fec0::1]', '[2001:db8::1]'],
    ...['[100::1]', '[4000::1]', '[3fff::1]', '[2620:4f:8000::1]'],
  ];
  for (const host of hosts) {
    test(host, async () => {
      const url = `http://${host}:${trapPort}/`;
      const { value, audit } = await signedIn.request('anyone', { url });
      assert.equal(value.error, 'blocked_network');
      assert.equal(value.status, 403);
      assert.equal(audit.error, 'blocked_network');
      assert.equal(audit.target, null);
      assert.equal(trapped, 0);
    });
  }

  for (const host of [
    '[::1%25lo]',
    '[::1%lo]',
    '127.0.0.1%00.example.com',
    '256.0.0.1',
    '1.2.3.4.5',
  ]) {
    test(`${host}, as no URL at all`, async () => {
      const { value } = await signedIn.request('anyone', { url: `http://${host}:${trapPort}/` });
      assert.equal(value.error, 'invalid_url');
      assert.equal(trapped, 0);
    });
  }

  test('what the operator opened, too: networks are opened to targets alone', async () => {
    const { value } = await signedIn.request('anyone', { url: upstream.url });
    assert.equal(value.error, 'blocked_network');
    assert.equal(upstream.connections(), 0);
    assert.equal((await signedIn.request('alice', { url: upstream.url })).value.status, 200);
  });
});

describe('the gateway itself', () => {
  for (const [target, host] of [
    ['self', '127.0.0.1'],
    ['self', '127.1'],
    ['self-by-name', 'localhost'],
    ['self-by-another', '127.8.8.8'],
  ]) {
    test(`is not reached as ${host}, though its network is open`, async () => {
      const url = `http://${host}:${signedIn.gateway.port}/healthz`;
      const { value, audit } = await signedIn.request('alice', { url });
      assert.equal(audit.target, target);
      assert.equal(value.error, 'blocked_network');
      assert.match(String(value.message), /own-address/);
    });
  }

  const own = {
    origins: [{ host: 'Gateway.Test', port: 443 }],
    listeners: [{ host: undefined, port: 2019 }],
    localAddresses: ['93.184.215.14', '2606:2800::1'],
  };
  const rows: [url: string, blocked: boolean][] = [
    ['https://gateway.test/mcp', true],
    ['https://GATEWAY.test./mcp', true],
    ['http://gateway.test:443/mcp', true],
    ['https://gateway.test:8443/', true],
    ['http://other.test:2019/', true],
    ['http://93.184.215.14:2019/', true],
    ['http://[2606:2800::1]:2019/', true],
    ['http://93.184.215.14:2020/', true],
    ['http://93.184.215.15:2020/', false],
    ['http://8.8.8.8:2019/', false],
  ];
  for (const [url, blocked] of rows) {
    test(`${url} is ${blocked ? 'blocked' : 'another place'}`, async () => {
      const pools = new DivertedPools(upstream.url);
      const pipeline = anyone({ own, pools, resolve: async () => ['93.184.215.14'] });
      const result = await pipeline.request('anyone', { url });
      assert.equal(
        'error' in result ? result.error : undefined,
        blocked ? 'blocked_network' : undefined,
      );
      assert.equal(pools.asked.length, blocked ? 0 : 1);
    });
  }
});

describe('proxy variables', () => {
  test('are ignored', async () => {
    assert.equal((await signedIn.request('alice', { url: upstream.url })).value.status, 200);
    await signedIn.request('alice', { url: 'http://nowhere.invalid/' });
    assert.equal(proxy.connections(), 0);
  });
});

describe('a name', () => {
  test('that does not exist is upstream_error', async () => {
    const { value } = await signedIn.request('alice', { url: 'http://nowhere.invalid/' });
    assert.equal(value.error, 'upstream_error');
    assert.match(String(value.message), /resolved/);
  });

  test('whose lookup stalls is upstream_timeout', async () => {
    const pipeline = start(
      { server: { request_timeout: '50ms' }, users: [{ name: 'anyone', allow_any: true }] },
      { resolve: () => new Promise(() => {}) },
    );
    const result = await pipeline.request('anyone', { url: 'http://stalls.test/' });
    assert.ok('error' in result && result.error === 'upstream_timeout');
  });

  test('whose lookup stalls holds up no other user, however many of them one asks for', async () => {
    /** As the system's resolver: so many threads, each held until its name is answered. */
    let free = 16;
    const queue: (() => void)[] = [];
    const resolve: Resolver = async (host) => {
      if (free === 0) await new Promise<void>((begin) => queue.push(begin));
      free -= 1;
      if (host.startsWith('dead')) await new Promise(() => {});
      free += 1;
      queue.shift()?.();
      return ['93.184.215.14'];
    };
    const users = ['mallory', 'alice'].map((name) => ({ name, allow_any: true }));
    const pools = new DivertedPools(upstream.url);
    const pipeline = start({ server: { request_timeout: '5s' }, users }, { pools, resolve });
    const hangUp = new AbortController();
    const dead = Array.from({ length: 64 }, (_, at) =>
      pipeline.request('mallory', { url: `http://dead${at}.test/` }, hangUp.signal),
    );
    const live = await pipeline.request('alice', { url: 'http://live.test/' });
    assert.ok('body' in live && live.status === 200, JSON.stringify(live));
    hangUp.abort();
    for (const each of await Promise.all(dead)) assert.ok('error' in each);
  });

  test('whose lookup stalls is refused by an earlier step with its own code', async () => {
    const pipeline = start(
      { server: { request_timeout: '50ms' }, users: [{ name: 'anyone', allow_any: true }] },
      { resolve: () => new Promise(() => {}) },
    );
    const url = 'http://stalls.test/';
    const byMethod = await pipeline.request('anyone', { url, method: 'BREW' });
    assert.ok('error' in byMethod && byMethod.error === 'method_not_allowed');
    const byHeader = await pipeline.request('anyone', { url, headers: { Host: 'x' } });
    assert.ok('error' in byHeader && byHeader.error === 'reserved_header');
  });

  const answers: [what: string, answers: string[]][] = [
    ['one private address', ['10.0.0.1']],
    ['a public address, then a private one', ['93.184.215.14', '10.0.0.1']],
    ['a private address, then a public one', ['192.168.1.1', '93.184.215.14']],
    ['a public IPv4 address and a private IPv6 one', ['93.184.215.14', 'fd00::1']],
    ['a mapped loopback address', ['::ffff:127.0.0.1']],
    ['the metadata service last of many', [...Array(50).fill('93.184.215.14'), '169.254.169.254']],
    ['an address with a zone', ['fe80::1%eth0']],
    ['something that is no address', ['93.184.215.14', 'not-an-address']],
  ];
  for (const [what, given] of answers) {
    test(`that resolves to ${what} is blocked`, async () => {
      const pools = new DivertedPools(upstream.url);
      const pipeline = anyone({ pools, resolve: async () => given });
      const result = await pipeline.request('anyone', { url: 'http://name.test/' });
      assert.ok('error' in result && result.error === 'blocked_network');
      assert.deepEqual(pools.asked, []);
    });
  }

  test('that resolves to the metadata service is blocked, though its network is open', async () => {
    const pipeline = start(
      {
        server: { allow_networks: ['169.254.0.0/16'] },
        users: [
          {
            name: 'alice',
            targets: [{ id: 'api', description: 'd', base_url: 'http://name.test' }],
          },
        ],
      },
      { resolve: async () => ['169.254.169.254'] },
    );
    const result = await pipeline.request('alice', { url: 'http://name.test/' });
    assert.ok('error' in result && result.error === 'blocked_network');
  });

  test('that rebinds is connected to the address that was checked, and checked with every call', async (t) => {
    const { port } = upstream;
    const twin = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', () => socket.end('HTTP/1.1 203 Twin\r\nContent-Length: 0\r\n\r\n'));
    }).listen(port, '127.0.0.2');
    await once(twin, 'listening');
    t.after(() => twin.close());
    const lookups: string[][] = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.2'], ['127.0.0.1', '::1']];
    let asked = 0;
    const resolve: Resolver = async () => lookups[asked++] ?? [];
    const pipeline = start(
      {
        server: { allow_networks: ['127.0.0.0/8'] },
        users: [
          {
            name: 'alice',
            targets: [{ id: 'api', description: 'd', base_url: `http://rebinds.test:${port}` }],
          },
        ],
      },
      { resolve },
    );
    const url = `http://rebinds.test:${port}/`;
    const before = upstream.connections();
    const outcomes: unknown[] = [];
    for (let call = 1; call <= lookups.length; call++) {
      const result = await pipeline.request('alice', { url });
      assert.equal(asked, call, 'one lookup for each call');
      outcomes.push('error' in result ? result.error : result.status);
    }
    // The kept-alive connection of the first call serves neither the second nor the third.
    assert.deepEqual(outcomes, [200, 'blocked_network', 203, 'blocked_network']);
    assert.equal(upstream.connections(), before + 1);
  });

  test('is not looked up when it is an address', async () => {
    let asked = 0;
    const resolve: Resolver = async () => {
      asked += 1;
      return ['93.184.215.14'];
    };
    const pools = new DivertedPools(upstream.url);
    const pipeline = anyone({ pools, resolve });
    await pipeline.request('anyone', { url: 'http://134744072/' });
    assert.deepEqual(pools.asked[0]?.addresses, ['8.8.8.8']);
    assert.equal(asked, 0);
  });
});

describe('a connection', () => {
  test('carries one user and one target only: no pool of them is shared', async () => {
    const targets = ['a', 'b'].map((id) => ({
      id,
      description: id,
      base_url: upstream.url,
      paths: [`/${id}`],
    }));
    const pools = new WatchedPools();
    const pipeline = start(
      {
        server: { allow_networks: ['127.0.0.0/8'] },
        users: ['alice', 'bob'].map((name) => ({ name, targets })),
      },
      { pools },
    );
    for (let round = 1; round <= 3; round++) {
      for (const user of ['alice', 'bob']) {
        for (const path of ['/a', '/b']) {
          await pipeline.request(user, { url: upstream.url + path });
        }
      }
    }
    assert.equal(pools.given.length, 12);
    assert.equal(new Set(pools.given).size, 4);
    assert.ok(pools.given.every((pool, call) => pool === pools.given[call % 4]));
  });
});

/** Keeps the pools it gives. */
class WatchedPools extends UpstreamPools {
  readonly given: Pool[] = [];

  override async for(...args: Parameters<UpstreamPools['for']>): Promise<Pool> {
    const pool = await super.for(...args);
    this.given.push(pool);
    return pool;
  }
}

/** A pipeline that is closed when the tests are over. */
function start(...args: Parameters<typeof startPipeline>): Pipeline {
  const pipeline = startPipeline(...args);
  pipelines.push(pipeline);
  return pipeline;
}

function anyone(options: PipelineOptions) {
  return start({ users: [{ name: 'anyone', allow_any: true }] }, options);
}
