/** What a store guarantees, by the real server; the rows with both stores hold for either alike. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import {
  replicasMissing,
  startRedis,
  type TestRedis,
} from '../../../test/support/replicas/programs.ts';
import { parseRate } from '../limits/rate.ts';
import { createLog } from '../log/log.ts';
import { type SharedStore, StoreUnavailable } from '../store/shared-store.ts';
import { MemoryStore, type Store } from '../store/store.ts';
import { judgeStore } from './judge-server.ts';
import { openStore } from './open-store.ts';
import { parseStoreAddress } from './store-address.ts';

const KEPT = { ttlMs: 1_000, evictable: false } as const;
const loose = (source: string, maxOfSource?: number) =>
  ({ ttlMs: 1_000, evictable: true, source, ...(maxOfSource && { maxOfSource }) }) as const;

describe('a store in a server', { skip: replicasMissing() }, () => {
  let redis: TestRedis;
  const opened: SharedStore[] = [];
  let programs = 0;
  const lines: string[] = [];
  before(async () => {
    redis = await startRedis();
  });
  after(async () => {
    for (const store of opened) await store.close();
    await redis.remove();
  });

  /** Stores of the same name share what they hold; without a name, one of its own. */
  async function open(options: { program?: string; capacity?: number; now?: () => number } = {}) {
    const { program = `test${programs++}`, ...rest } = options;
    const log = createLog({ level: 'info', write: (line) => lines.push(line) });
    const store = await openStore(parseStoreAddress(redis.url)!, { log, program, ...rest });
    opened.push(store);
    return store;
  }

  async function both(options: { capacity?: number; now?: () => number }): Promise<Store[]> {
    return [new MemoryStore(options), await open(options)];
  }

  test('a record lives until its time is over', async () => {
    let now = 1_800_000_000_000;
    for (const store of await both({ now: () => now })) {
      now = 1_800_000_000_000;
      await store.put('clients', 'a', { n: 1 }, KEPT);
      now += 999;
      assert.deepEqual(await store.get('clients', 'a'), { n: 1 });
      now += 1;
      assert.equal(await store.get('clients', 'a'), undefined);
    }
  });

  test('by the clock of the server, a record ends and its keys are gone from it', async () => {
    const store = await open();
    await store.put('clients', 'a', { n: 1 }, { ttlMs: 20, evictable: false });
    assert.deepEqual(await store.get('clients', 'a'), { n: 1 });
    while (await store.get('clients', 'a'));
  });

  test('a full table refuses a newcomer when all others are kept, and replaces what is there', async () => {
    for (const store of await both({ capacity: 2 })) {
      await store.put('clients', 'a', { n: 0 }, KEPT);
      await store.put('clients', 'b', { n: 1 }, KEPT);
      assert.equal(await store.put('clients', 'c', { n: 2 }, loose('x')), false);
      assert.equal(await store.replace('clients', 'c', undefined, { n: 2 }, KEPT), false);
      assert.equal(await store.put('clients', 'b', { n: 9 }, KEPT), true);
      assert.deepEqual(await store.get('clients', 'a'), { n: 0 });
      assert.deepEqual(await store.get('clients', 'b'), { n: 9 });
    }
  });

  test('of racing replacements one wins, also over two connections', async () => {
    const program = `race${programs++}`;
    const [one, two] = [await open({ program }), await open({ program })];
    for (let round = 0; round < 20; round++) {
      const current = await one.get('f', 'x');
      const won = await Promise.all([
        one.replace('f', 'x', current, { round, by: 1 }, KEPT),
        two.replace('f', 'x', current, { round, by: 2 }, KEPT),
      ]);
      assert.equal(won.filter(Boolean).length, 1);
      const winner = won[0] ? 1 : 2;
      assert.deepEqual(await two.get('f', 'x'), { round, by: winner });
    }
    assert.equal(await one.deleteIf('f', 'x', { round: 0 }), false);
    assert.equal(await two.deleteIf('f', 'x', (await one.get('f', 'x'))!), true);
    assert.equal(await one.get('f', 'x'), undefined);
  });

  test('any order of writes leaves the same records in both stores', async () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
    const lifetime = fc.oneof(
      fc.constant(KEPT),
      fc.constantFrom(1, 2, undefined).map((max) => loose('2001:db8::/64', max)),
    );
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ put: key, lifetime }) },
      fc.record({ remove: key }),
      fc.record({ first: key, lifetime }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const stores = await both({ capacity: 4, now: () => 1_800_000_000_000 });
        for (const [index, step] of steps.entries()) {
          const answers = await Promise.all(
            stores.map(async (store) => {
              if ('put' in step) return store.put('t', step.put, { index }, step.lifetime);
              if ('remove' in step) return store.delete('t', step.remove);
              if ('first' in step)
                return store.replace('t', step.first, undefined, { index }, step.lifetime);
              return undefined;
            }),
          );
          assert.equal(answers[0], answers[1], `step ${index}`);
          for (const name of 'abcdefg') {
            const [memory, shared] = await Promise.all(stores.map((store) => store.get('t', name)));
            assert.deepEqual(shared, memory, `${name} after step ${index}`);
          }
        }
      }),
      { numRuns: 25 },
    );
  });

  test('a full table makes room at the expense of the source that holds most, oldest first', async () => {
    for (const store of await both({ capacity: 4 })) {
      for (const key of ['a1', 'a2', 'a3']) await store.put('t', key, {}, loose('a'));
      await store.put('t', 'b1', {}, loose('b'));
      assert.equal(await store.put('t', 'kept', {}, KEPT), true);
      assert.equal(await store.put('t', 'c1', {}, loose('c')), true);
      const left = await Promise.all(
        ['a1', 'a2', 'a3', 'b1', 'c1', 'kept'].map((key) => store.get('t', key)),
      );
      assert.deepEqual(left.map(Boolean), [false, false, true, true, true, true]);
    }
  });

  test('any order of calls finds the same tokens in the buckets of both stores', async () => {
    const rates = fc.constantFrom('3/m', '7/m', '2/s', '1/h', '60/h');
    const step = fc.record({
      pass: fc.constantFrom(0, 1, 500, 8_571, 8_572, 60_000),
      back: fc.boolean(),
    });
    const steps = fc.array(step, { minLength: 5, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(rates, steps, async (text, steps) => {
        let now = 1_800_000_000_000;
        const stores = await both({ now: () => now });
        const rate = parseRate(text)!;
        for (const [index, { pass, back }] of steps.entries()) {
          now += pass;
          const takes = stores.map((store) => store.takeToken('k:x', rate));
          const [memory, shared] = await Promise.all(takes);
          assert.equal(shared!.ok, memory!.ok, `step ${index}`);
          if (!memory!.ok && !shared!.ok) {
            assert.ok(Math.abs(memory!.retryAfterMs - shared!.retryAfterMs) <= 1);
          } else if (back) {
            await Promise.all(stores.map((store) => store.returnToken('k:x', rate)));
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  test('a changed rate fills no bucket, however often it changes, and is in force at once', async () => {
    let now = 1_800_000_000_000;
    for (const store of await both({ now: () => now })) {
      const take = async (rate: string) => (await store.takeToken('k:x', parseRate(rate)!)).ok;
      assert.equal(await take('1/h'), true);
      for (const rate of ['1/h', '2/h', '1/h', '60/h', '1/m']) {
        assert.equal(await take(rate), false, rate);
      }
      now += 1_000;
      assert.equal(await take('1/s'), false);
      now += 1_000;
      assert.equal(await take('1/s'), true);
    }
  });

  test('a limit holds over two connections, by the clock of the server', async () => {
    const program = `rate${programs++}`;
    const stores = [await open({ program }), await open({ program })];
    const rate = parseRate('100/h')!;
    const takes = await Promise.all(
      Array.from({ length: 300 }, (_, call) => stores[call % 2]!.takeToken('target:ada:x', rate)),
    );
    assert.equal(takes.filter(({ ok }) => ok).length, 100);
  });

  test('buckets are bounded, a flood resets none that is emptier, and kinds have room of their own', async () => {
    const store = await open({ capacity: 10, now: () => 1_800_000_000_000 });
    const rate = parseRate('2/h')!;
    await store.takeToken('target:ada', rate);
    await store.takeToken('target:ada', rate);
    for (const _ of [1, 2]) await store.takeToken('login:victim', rate);
    for (let flood = 0; flood < 50; flood++) await store.takeToken(`login:${flood}`, rate);
    assert.equal((await store.takeToken('login:victim', rate)).ok, false);
    assert.equal((await store.takeToken('target:ada', rate)).ok, false);
  });

  test('a recent record is read once, and a deletion elsewhere ends it at once', async () => {
    const program = `recent${programs++}`;
    const [one, two] = [await open({ program }), await open({ program })];
    await one.put('sign-ins', 'a', { n: 1 }, KEPT);
    const first = await two.getRecent('sign-ins', 'a');
    await one.put('sign-ins', 'a', { n: 2 }, KEPT);
    assert.equal(await two.getRecent('sign-ins', 'a'), first);
    assert.deepEqual(await two.get('sign-ins', 'a'), { n: 2 });
    const heard = new Promise((resolve) => two.onDeleted('sign-ins', resolve));
    await one.delete('sign-ins', 'a');
    assert.equal(await heard, 'a');
    assert.equal(await two.getRecent('sign-ins', 'a'), undefined);
  });

  test('a deletion of which nothing was heard ends a recent record after a second', async (context) => {
    const store = await open();
    let passedMs = 0;
    const real = performance.now.bind(performance);
    context.mock.method(performance, 'now', () => real() + passedMs);
    await store.put('sign-ins', 'a', { n: 1 }, KEPT);
    await store.getRecent('sign-ins', 'a');
    await redis.admin((connection) => connection.flushall());
    assert.deepEqual(await store.getRecent('sign-ins', 'a'), { n: 1 });
    passedMs = 1_001;
    assert.equal(await store.getRecent('sign-ins', 'a'), undefined);
  });

  test('what is published is heard by every replica, this one included', async () => {
    const program = `news${programs++}`;
    const stores = [await open({ program }), await open({ program })];
    const other = await open();
    other.onPublished('news', () => assert.fail('another deployment heard it'));
    const heard = stores.map(
      (store) => new Promise((resolve) => store.onPublished('news', resolve)),
    );
    stores[0]!.publish('news', ['a', 'b']);
    assert.deepEqual(await Promise.all(heard), [
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  test('nothing stays in the server when the last record has ended', async () => {
    const store = await open({ program: 'ending' });
    await store.put('t', 'a', { v: 1 }, { ttlMs: 1, ...{ evictable: true, source: 's' } });
    await store.takeToken('login:a', parseRate('1000/s')!);
    const ttls = await redis.admin(async (connection) => {
      const keys = await connection.keys('*gatehouse:ending:*');
      return Promise.all(keys.map((key) => connection.pttl(key)));
    });
    assert.ok(ttls.length >= 5);
    for (const ttl of ttls) assert.ok(ttl > 0 && ttl < 3_000, String(ttl));
  });

  test('out of reach, questions fail, rate limits hold locally, and one line says so', async () => {
    const own = await startRedis();
    const log = createLog({ level: 'info', write: (line) => lines.push(line) });
    const store = await openStore(parseStoreAddress(own.url)!, { log, program: 'gateway' });
    opened.push(store);
    lines.length = 0;
    await own.stop('SIGKILL');
    const rate = parseRate('2/h')!;
    const takes = [1, 2, 3].map(() => store.takeToken('login:a', rate));
    assert.deepEqual(
      (await Promise.all(takes)).map(({ ok }) => ok),
      [true, true, false],
    );
    await assert.rejects(store.get('t', 'a'), StoreUnavailable);
    await assert.rejects(store.put('t', 'a', {}, KEPT), StoreUnavailable);
    await assert.rejects(store.getRecent('t', 'a'), StoreUnavailable);
    assert.equal(await store.isReachable(), false);
    const back = new Promise<void>((resolve) => store.onReconnected(resolve));
    await own.restart();
    await back;
    await store.put('t', 'a', { n: 1 }, KEPT);
    assert.deepEqual(await store.getRecent('t', 'a'), { n: 1 });
    const events = lines.map((line) => JSON.parse(line).event);
    assert.deepEqual(events, ['store_unavailable', 'store_available']);
    await own.remove();
  });

  test('a store is judged before anybody relies on it, and by what it says of itself', async () => {
    const own = await startRedis(['--maxmemory-policy', 'allkeys-lru']);
    const address = parseStoreAddress(own.url)!;
    const [forgets, loses, ...others] = await judgeStore(address);
    assert.match(forgets!, /maxmemory-policy allkeys-lru.*set maxmemory-policy noeviction/);
    assert.match(loses!, /keeps nothing on disk.*set appendonly yes/);
    assert.deepEqual(others, []);
    await own.admin((connection) => connection.config('SET', 'maxmemory-policy', 'noeviction'));
    await own.admin((connection) => connection.config('SET', 'appendonly', 'yes'));
    assert.deepEqual(await judgeStore(address), []);
    await own.remove();
    assert.match((await judgeStore(address)).join(), /^the store redis:.*cannot be reached/);
  });

  test('a start waits for the store, and says for what', async () => {
    const log = createLog({ level: 'info', write: (line) => lines.push(line) });
    const address = parseStoreAddress('redis://ada:hidden@127.0.0.1:1/0')!;
    await assert.rejects(openStore(address, { log, program: 'gateway', waitMs: 600 }), (error) => {
      assert.match(
        (error as Error).message,
        /^the store redis:\/\/ada@127\.0\.0\.1:1\/0 cannot be reached: .*ECONNREFUSED/,
      );
      return true;
    });
    assert.match(lines.at(-1)!, /waiting for the store redis:\/\/ada@127/);
    assert.doesNotMatch(lines.join(), /hidden/);
  });
});
