import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { createLog } from '../core/log/log.ts';
import { keyFor } from '../core/secrets/derive-key.ts';
import { MemoryStore } from '../core/store/store.ts';
import { REFRESH_TTL_MS } from './records.ts';
import { MAX_PER_USER_AND_CLIENT } from './sign-in-limit.ts';
import { SignIns } from './sign-ins.ts';

const newcomer = {
  user: 'ada',
  incarnation: 'ada-1',
  client: { id: 'client', redirectUris: ['https://app.example/cb'] },
  source: '192.0.2.1',
  challenge: 'challenge',
  redirectUri: 'https://app.example/cb',
  scope: 'mcp',
};

/** Every request has read the record before any of them writes it, as in a race they may. */
function setUp(capacity = 100, Kind: typeof MemoryStore = MemoryStore) {
  const clock = { ms: 0 };
  const now = () => clock.ms;
  const lines: string[] = [];
  const ada = { incarnation: 'ada-1' };
  const store = new Kind({ now, capacity });
  const signIns = new SignIns({
    store,
    users: {
      signIn: async () => undefined,
      incarnation: () => ada.incarnation,
      passwordMark: () => undefined,
    },
    log: createLog({ level: 'warn', write: (line) => lines.push(line) }),
    settings: () => ({ tokenTtlMs: 1_000, codeTtlMs: 60_000 }),
    now,
    sealKey: keyFor('tokens', undefined),
  });
  return { clock, lines, signIns, ada, store };
}

/** As a store that several replicas share would be. */
class DistantStore extends MemoryStore {
  // biome-ignore lint/suspicious/noExplicitAny: of what kind the record is, the caller says.
  override get(table: string, key: string): any {
    return new Promise((resolve) => setImmediate(() => resolve(super.get(table, key))));
  }
}

for (const Kind of [MemoryStore, DistantStore]) {
  test(`a token is judged anew at every call, with a ${Kind.name}`, async () => {
    const { signIns, clock, ada } = setUp(100, Kind);
    const granted = async () => {
      const code = (await signIns.begin(newcomer))!;
      return (await signIns.exchangeCode(code, () => true))!.tokens;
    };
    const { user, incarnation } = newcomer;
    const clientId = newcomer.client.id;
    const [first, second, third] = [await granted(), await granted(), await granted()];
    for (const { accessToken } of [first, second, third, first]) {
      const caller = await signIns.callerOf(accessToken);
      const signInId = accessToken.slice(0, 24);
      assert.deepEqual(caller, { user, incarnation, clientId, signInId });
    }
    assert.equal(await signIns.callerOf(first.refreshToken), undefined);
    assert.equal(await signIns.callerOf(first.accessToken.replace(/.$/, '!')), undefined);

    const spent = (await signIns.refresh(first.refreshToken, clientId))!.tokens;
    await signIns.refresh(spent.refreshToken, clientId);
    await signIns.refresh(first.refreshToken, clientId);
    assert.equal(await signIns.callerOf(first.accessToken), undefined, 'reused');
    assert.equal(await signIns.callerOf(spent.accessToken), undefined, 'reused');
    ada.incarnation = 'ada-2';
    assert.equal(await signIns.callerOf(second.accessToken), undefined, 'removed');
    assert.equal(await signIns.callerOf(second.accessToken), undefined, 'added again');
    ada.incarnation = 'ada-1';
    clock.ms += 1_000;
    assert.equal(await signIns.callerOf(third.accessToken), undefined, 'expired');
  });
}

test('of two exchanges that read the same code, one wins and its tokens are dead', async () => {
  const { signIns, lines } = setUp();
  const code = (await signIns.begin(newcomer))!;
  const race = [signIns.exchangeCode(code, () => true), signIns.exchangeCode(code, () => true)];
  const winners = (await Promise.all(race)).filter((granted) => granted !== undefined);
  assert.equal(winners.length, 1);
  assert.equal(await signIns.callerOf(winners[0]!.tokens.accessToken), undefined);
  assert.equal(lines.length, 1);
});

test('sign-ins at the same time leave each other alone when there is room for no more', async () => {
  const { signIns, clock } = setUp();
  for (let index = 0; index < MAX_PER_USER_AND_CLIENT; index++) {
    await signIns.begin(newcomer);
    clock.ms += 1;
  }
  const codes = await Promise.all([1, 2, 3].map(() => signIns.begin(newcomer)));
  for (const code of codes) assert.ok(await signIns.exchangeCode(code!, () => true));
});

for (const Kind of [MemoryStore, DistantStore]) {
  test(`of refreshes that read the same token, all get one refresh token, with a ${Kind.name}`, async () => {
    const { signIns, lines } = setUp(100, Kind);
    const code = (await signIns.begin(newcomer))!;
    const { tokens } = (await signIns.exchangeCode(code, () => true))!;
    const race = Array.from({ length: 10 }, () => signIns.refresh(tokens.refreshToken, 'client'));
    const granted = (await Promise.all(race)).map((one) => one!);
    assert.equal(new Set(granted.map((one) => one.tokens.refreshToken)).size, 1);
    assert.equal(granted.filter(({ isGrace }) => isGrace).length, 9);
    for (const one of granted) assert.ok(await signIns.callerOf(one.tokens.accessToken));
    assert.deepEqual(lines, []);
  });
}

test('any order of refreshes: the current token and its predecessor of a minute serve, others end all', async () => {
  const step = fc.record({
    back: fc.nat(3),
    pauseMs: fc.constantFrom(0, 1, 30_000, 59_999, 60_000),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const { signIns, clock, lines } = setUp();
      const code = (await signIns.begin(newcomer))!;
      const texts = [(await signIns.exchangeCode(code, () => true))!.tokens.refreshToken];
      let rotatedAt = Number.NEGATIVE_INFINITY;
      for (const { back, pauseMs } of steps) {
        clock.ms += pauseMs;
        const age = Math.min(back, texts.length - 1);
        const current = texts.at(-1);
        const granted = await signIns.refresh(texts.at(-1 - age)!, 'client');
        if (age === 0) {
          assert.equal(granted?.isGrace, false);
          texts.push(granted.tokens.refreshToken);
          rotatedAt = clock.ms;
        } else if (age === 1 && clock.ms - rotatedAt < 60_000) {
          assert.deepEqual([granted?.isGrace, granted?.tokens.refreshToken], [true, current]);
        } else {
          assert.equal(granted, undefined);
          assert.equal(lines.length, 1);
          assert.equal(await signIns.refresh(current!, 'client'), undefined);
          return;
        }
      }
      assert.deepEqual(lines, []);
    }),
  );
});

test('a refresh token that is newer than the store knows serves, once, and its predecessor ends the sign-in', async () => {
  for (const lost of [1, 2]) {
    const { signIns, store, lines } = setUp();
    const code = (await signIns.begin(newcomer))!;
    let { tokens } = (await signIns.exchangeCode(code, () => true))!;
    const id = code.slice(0, 24);
    const before = (await store.get('sign-ins', id))!;
    const known = tokens;
    for (let write = 0; write < lost; write++) {
      tokens = (await signIns.refresh(tokens.refreshToken, 'client'))!.tokens;
    }
    // The store fails over to a server that was not told of the last writes.
    await store.put('sign-ins', id, before, { ttlMs: 1_000_000, evictable: false });
    assert.equal(await signIns.callerOf(tokens.accessToken), undefined);
    assert.equal(await signIns.refresh(tokens.refreshToken, 'other-client'), undefined);
    const next = (await signIns.refresh(tokens.refreshToken, 'client'))!.tokens;
    assert.ok(await signIns.callerOf(next.accessToken));
    assert.deepEqual(lines, []);
    assert.equal(await signIns.refresh(known.refreshToken, 'client'), undefined);
    assert.equal(await signIns.callerOf(next.accessToken), undefined);
    assert.equal(lines.length, 1);
  }
});

test('a refresh token lives for thirty days from its last use', async () => {
  const { signIns, clock } = setUp();
  const code = (await signIns.begin(newcomer))!;
  let { tokens } = (await signIns.exchangeCode(code, () => true))!;
  clock.ms += REFRESH_TTL_MS - 1;
  ({ tokens } = (await signIns.refresh(tokens.refreshToken, 'client'))!);
  clock.ms += REFRESH_TTL_MS;
  assert.equal(await signIns.refresh(tokens.refreshToken, 'client'), undefined);
});

test('no sign-in begins when there is no room for one', async () => {
  const { signIns } = setUp(2);
  const others = ['bob', 'eve'].map((user) => signIns.begin({ ...newcomer, user }));
  assert.ok((await Promise.all(others)).every((code) => code !== undefined));
  assert.equal(await signIns.begin(newcomer), undefined);
});
