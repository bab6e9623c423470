import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Cidr, parseCidr } from './address.ts';
import {
  blockedBaseUrlHost,
  type GuardRules,
  guardDestination,
  isSamePeer,
  type OwnEndpoints,
  type PinnedAddress,
  type Resolver,
} from './guard.ts';

const noOwn: OwnEndpoints = { origins: [], listeners: [], localAddresses: [] };

/** A resolver that knows the given names and counts what it was asked. */
function resolverOf(names: Record<string, readonly string[]>): Resolver & { asked: string[] } {
  const asked: string[] = [];
  const resolve = async (host: string) => {
    asked.push(host);
    const answers = names[host];
    if (answers === undefined)
      throw Object.assign(new Error('no such host'), { code: 'ENOTFOUND' });
    return answers;
  };
  return Object.assign(resolve, { asked });
}

function rulesOf(resolve: Resolver, networks: string[] = [], own = noOwn): GuardRules {
  return { resolve, allowNetworks: cidrs(networks), own };
}

function cidrs(texts: string[]): Cidr[] {
  return texts.map((text) => parseCidr(text) ?? assert.fail(text));
}

async function pinnedBy(
  host: string,
  rules: GuardRules,
  port = 443,
): Promise<readonly PinnedAddress[]> {
  const verdict = await guardDestination(host, port, rules);
  assert.ok(verdict.ok, JSON.stringify(verdict));
  return verdict.pinned;
}

async function reasonFor(host: string, rules: GuardRules, port = 443): Promise<string | undefined> {
  const verdict = await guardDestination(host, port, rules);
  return !verdict.ok && verdict.kind === 'blocked' ? verdict.reason : undefined;
}

describe('a literal address', () => {
  const blocked: [host: string, reason: string][] = [
    ['2130706433', 'loopback'],
    ['0x7f.1', 'loopback'],
    ['0177.0.0.1', 'loopback'],
    ['127.1', 'loopback'],
    ['0', 'unspecified'],
    ['１２７.０.０.１', 'loopback'],
    ['127.0.0.1.', 'loopback'],
    ['127.0.0.1..', 'loopback'],
    ['169.254.169.254.', 'metadata'],
    ['[::ffff:7f00:1]', 'loopback'],
    ['[::7f00:1]', 'reserved'],
    ['[64:ff9b::a9fe:a9fe]', 'metadata'],
    ['[2002:7f00:1::]', 'transition'],
    ['::1', 'loopback'],
    ['localhost', 'loopback'],
    ['LOCALHOST.', 'loopback'],
    ['db.localhost', 'loopback'],
  ];
  for (const [host, reason] of blocked) {
    test(`${host} is blocked as ${reason} without a lookup`, async () => {
      const resolve = resolverOf({});
      assert.equal(await reasonFor(host, rulesOf(resolve)), reason);
      assert.deepEqual(resolve.asked, []);
    });
  }

  test('a public one is pinned without a lookup', async () => {
    const resolve = resolverOf({});
    const pinned = await pinnedBy('[64:ff9b::808:808]', rulesOf(resolve));
    assert.deepEqual(
      pinned.map(({ text }) => text),
      ['64:ff9b::808:808'],
    );
    assert.deepEqual(resolve.asked, []);
  });

  for (const host of [
    '1.2.3.4.5',
    '',
    '...',
    'a b',
    'x@8.8.8.8',
    '[fe80::1%25eth0]',
    '8.8.8.8:80',
  ]) {
    test(`"${host}" is no host and is looked up nowhere`, async () => {
      const resolve = resolverOf({});
      const verdict = await guardDestination(host, 443, rulesOf(resolve));
      assert.deepEqual(verdict, { ok: false, kind: 'unresolved', cause: 'not-found' });
      assert.deepEqual(resolve.asked, []);
    });
  }
});

describe('a name', () => {
  test('is pinned to every address it has, in the order of the answer', async () => {
    const resolve = resolverOf({ 'api.example': ['2606:4700::1', '8.8.8.8'] });
    const pinned = await pinnedBy('API.example.', rulesOf(resolve));
    assert.deepEqual(
      pinned.map(({ text }) => text),
      ['2606:4700::1', '8.8.8.8'],
    );
    assert.deepEqual(resolve.asked, ['api.example']);
  });

  const mixed: [answers: string[], reason: string, address: string][] = [
    [['8.8.8.8', '10.0.0.1'], 'private', '10.0.0.1'],
    [['10.0.0.1', '8.8.8.8'], 'private', '10.0.0.1'],
    [['8.8.8.8', '::ffff:127.0.0.1'], 'loopback', '::ffff:127.0.0.1'],
    [['8.8.8.8', 'fe80::1%eth0'], 'unreadable', 'fe80::1%eth0'],
    [['169.254.169.254'], 'metadata', '169.254.169.254'],
  ];
  for (const [answers, reason, address] of mixed) {
    test(`that answers ${answers.join(' and ')} is refused for ${address}`, async () => {
      const verdict = await guardDestination(
        'x.example',
        443,
        rulesOf(resolverOf({ 'x.example': answers })),
      );
      assert.deepEqual(verdict, { ok: false, kind: 'blocked', reason, address });
    });
  }

  test('that rebinds is connected to the address that was checked: it is asked once', async () => {
    const answers = [['8.8.8.8'], ['127.0.0.1']];
    const rules = rulesOf(async () => answers.shift() ?? []);
    const pinned = await pinnedBy('rebind.example', rules);
    assert.deepEqual(
      pinned.map(({ text }) => text),
      ['8.8.8.8'],
    );
    assert.equal(await reasonFor('rebind.example', rules), 'loopback');
  });

  test('that does not exist, or has no address, is not found', async () => {
    const rules = rulesOf(resolverOf({ 'empty.example': [] }));
    for (const host of ['none.example', 'empty.example']) {
      const verdict = await guardDestination(host, 443, rules);
      assert.deepEqual(verdict, { ok: false, kind: 'unresolved', cause: 'not-found' });
    }
  });

  test('whose lookup stalls is a timeout when the signal aborts', async () => {
    const abort = new AbortController();
    const asked = Promise.withResolvers<void>();
    const stalled: Resolver = () => {
      asked.resolve();
      return new Promise(() => {});
    };
    const verdict = guardDestination('slow.example', 443, rulesOf(stalled), abort);
    await asked.promise;
    abort.abort();
    assert.deepEqual(await verdict, { ok: false, kind: 'unresolved', cause: 'timeout' });
  });

  test('is a timeout at once when the time is already over', async () => {
    const stalled: Resolver = () => new Promise(() => {});
    const verdict = await guardDestination('slow.example', 443, rulesOf(stalled), {
      signal: AbortSignal.abort(),
    });
    assert.deepEqual(verdict, { ok: false, kind: 'unresolved', cause: 'timeout' });
  });

  test('leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    await guardDestination('x.example', 443, rulesOf(resolverOf({ 'x.example': ['8.8.8.8'] })), {
      signal,
    });
    assert.equal(listeners, 0);
  });
});

describe('opened networks', () => {
  const rows: [networks: string[], host: string, reason: string | undefined][] = [
    [['192.168.1.0/24'], '192.168.1.9', undefined],
    [['192.168.1.0/24'], '[::ffff:c0a8:109]', undefined],
    [['192.168.1.0/24'], '192.168.2.9', 'private'],
    [['192.168.1.0/24'], 'nas.example', undefined],
    [['192.168.1.0/24'], 'mixed.example', 'private'],
    [['192.168.0.0/16', '10.0.0.0/8'], 'mixed.example', undefined],
    [['127.0.0.0/8'], 'localhost', undefined],
    [['::1/128'], 'x.localhost', undefined],
    [['10.0.0.0/8'], 'localhost', 'loopback'],
    [['0.0.0.0/0', '::/0'], '169.254.169.254', 'metadata'],
    [['169.254.169.254/32'], '169.254.169.254', 'metadata'],
    [['0.0.0.0/0', '::/0'], '168.63.129.16', 'metadata'],
    [['0.0.0.0/0', '::/0'], '100.100.100.200', 'metadata'],
    [['0.0.0.0/0', '::/0'], '192.0.0.192', 'metadata'],
    [['0.0.0.0/0', '::/0'], '[fd00:ec2::254]', 'metadata'],
    [['0.0.0.0/0', '::/0'], '[fd20:ce::254]', 'metadata'],
    [['0.0.0.0/0', '::/0'], '[64:ff9b::a9fe:a9fe]', 'metadata'],
    [['0.0.0.0/0', '::/0'], '[::ffff:a9fe:aa02]', 'metadata'],
    [['0.0.0.0/0', '::/0'], '[2002:a9fe:a9fe::]', 'metadata'],
    [['10.0.0.0/8'], '[64:ff9b::a00:1]', 'private'],
  ];
  for (const [networks, host, reason] of rows) {
    test(`with ${networks.join(' ')}, ${host} is ${reason ?? 'open'}`, async () => {
      const resolve = resolverOf({
        'nas.example': ['192.168.1.2'],
        'mixed.example': ['192.168.1.2', '10.0.0.1'],
      });
      const verdict = await guardDestination(host, 443, rulesOf(resolve, networks));
      assert.equal(verdict.ok ? undefined : verdict.kind === 'blocked' && verdict.reason, reason);
    });
  }

  test('only the opened address of localhost is pinned', async () => {
    const pinned = await pinnedBy('localhost', rulesOf(resolverOf({}), ['127.0.0.0/8']));
    assert.deepEqual(
      pinned.map(({ text }) => text),
      ['127.0.0.1'],
    );
  });
});

describe('the program itself', () => {
  const everything = ['0.0.0.0/0', '::/0'];
  const local = ['127.0.0.1', '::1', '192.168.1.5', '2606:4700::5'];
  const names = {
    'alias.example': ['192.168.1.5'],
    'near.example': ['10.9.9.9'],
    'gw.example': ['8.8.8.8'],
    'shop.example': ['8.8.8.8'],
  };
  const at = (host?: string): OwnEndpoints => ({
    origins: [
      { host: 'gw.example', port: 443 },
      { host: '10.9.9.9', port: 8443 },
    ],
    listeners: [{ host, port: 2019 }],
    localAddresses: local,
  });
  const rows: [listen: string | undefined, host: string, port: number, own: boolean][] = [
    [undefined, 'gw.example', 443, true],
    [undefined, 'GW.example.', 443, true],
    [undefined, 'gw.example', 8080, false],
    [undefined, 'shop.example', 443, false],
    [undefined, '10.9.9.9', 8443, true],
    [undefined, '[::ffff:a09:909]', 8443, true],
    [undefined, 'near.example', 8443, true],
    [undefined, 'near.example', 443, false],
    [undefined, '127.0.0.1', 2019, true],
    [undefined, '127.5.5.5', 2019, true],
    [undefined, '[::1]', 2019, true],
    [undefined, 'localhost', 2019, true],
    [undefined, '0.0.0.0', 2019, true],
    [undefined, '192.168.1.5', 2019, true],
    [undefined, '[2606:4700::5]', 2019, true],
    [undefined, 'alias.example', 2019, true],
    [undefined, '192.168.1.6', 2019, false],
    [undefined, '192.168.1.5', 2020, false],
    ['0.0.0.0', '192.168.1.5', 2019, true],
    ['::', '192.168.1.5', 2019, true],
    ['box.example', '192.168.1.5', 2019, true],
    ['192.168.1.5', 'alias.example', 2019, true],
    ['192.168.1.5', '127.0.0.1', 2019, true],
    ['192.168.1.5', '[2606:4700::5]', 2019, false],
    ['127.0.0.1', '127.0.0.1', 2019, true],
    ['127.0.0.1', '192.168.1.5', 2019, false],
  ];
  for (const [listen, host, port, own] of rows) {
    test(`listening on ${listen ?? '*'}, ${host}:${port} is ${own ? 'blocked' : 'another'}`, async () => {
      const rules = rulesOf(resolverOf(names), everything, at(listen));
      assert.equal(await reasonFor(host, rules, port), own ? 'own-address' : undefined);
    });
  }
});

describe('the machine itself', () => {
  const own: OwnEndpoints = {
    origins: [],
    listeners: [{ host: undefined, port: 2019 }],
    localAddresses: ['127.0.0.1', '8.8.4.4', '2606:4700::5'],
  };
  const rows: [host: string, port: number, opened: string[], reason: string | undefined][] = [
    ['8.8.4.4', 9200, [], 'this-machine'],
    ['[2606:4700::5]', 9200, [], 'this-machine'],
    ['box.example', 9200, [], 'this-machine'],
    ['8.8.4.4', 2019, [], 'own-address'],
    ['8.8.4.4', 2019, ['8.8.4.4'], 'own-address'],
    ['8.8.4.4', 9200, ['8.8.4.4'], undefined],
    ['8.8.4.4', 9200, ['8.8.4.5'], 'this-machine'],
    ['8.8.4.5', 9200, [], undefined],
  ];
  for (const [host, port, opened, reason] of rows) {
    test(`${host}:${port}, with ${opened.join() || 'nothing'} opened, is ${reason ?? 'let through'}`, async () => {
      const rules = rulesOf(resolverOf({ 'box.example': ['8.8.4.4'] }), opened, own);
      assert.equal(await reasonFor(host, rules, port), reason);
    });
  }
});

describe('the peer of a socket', () => {
  const rows: [host: string, remote: string | undefined, same: boolean][] = [
    ['8.8.8.8', '8.8.8.8', true],
    ['8.8.8.8', '::ffff:8.8.8.8', true],
    ['[::ffff:808:808]', '8.8.8.8', true],
    ['[2606:4700:0:0::1]', '2606:4700::1', true],
    ['two.example', '1.1.1.1', true],
    ['8.8.8.8', '8.8.4.4', false],
    ['8.8.8.8', '127.0.0.1', false],
    ['8.8.8.8', '::808:808', false],
    ['8.8.8.8', undefined, false],
    ['8.8.8.8', '', false],
  ];
  for (const [host, remote, same] of rows) {
    test(`${remote} is ${same ? '' : 'not '}a pinned address of ${host}`, async () => {
      const pinned = await pinnedBy(
        host,
        rulesOf(resolverOf({ 'two.example': ['8.8.8.8', '1.1.1.1'] })),
      );
      assert.equal(isSamePeer(pinned, remote), same);
    });
  }
});

describe('the host of a base URL, at load', () => {
  const rows: [host: string, networks: string[], reason: string | undefined][] = [
    ['api.example.com', [], undefined],
    ['intranet', [], undefined],
    ['8.8.8.8', [], undefined],
    ['10.0.0.1', [], 'private'],
    ['0x0a.1', [], 'private'],
    ['[fd00::1]', [], 'private'],
    ['127.1', [], 'loopback'],
    ['localhost', [], 'loopback'],
    ['LocalHost.', [], 'loopback'],
    ['a.b.localhost', [], 'loopback'],
    ['notlocalhost', [], undefined],
    ['169.254.169.254', ['169.254.0.0/16'], 'metadata'],
    ['10.0.0.1', ['10.0.0.0/8'], undefined],
    ['localhost', ['127.0.0.0/8'], undefined],
    ['localhost', ['10.0.0.0/8'], 'loopback'],
    ['1.2.3.4.5', [], 'unreadable'],
  ];
  for (const [host, networks, reason] of rows) {
    test(`${host} with ${networks.join(' ') || 'nothing'} opened: ${reason ?? 'passes'}`, () => {
      assert.equal(blockedBaseUrlHost(host, cidrs(networks)), reason);
    });
  }
});
