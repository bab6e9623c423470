import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { keyFor } from '../../core/secrets/derive-key.ts';
import { literalPassword } from '../../core/secrets/password.ts';
import { Secret } from '../../core/secrets/secret.ts';
import { ActiveConfig } from './active-config.ts';
import type { Config, ServerConfig, User } from './config.ts';

const MINUTE = 60_000;
const OLD = 'old-value-Kq7vRzP2';
const NEW = 'new-value-mXw9LtYb';
const OTHER = 'other-user-N4cH8sJd';

/** Users by name, each with its secrets by name. */
function configOf(users: Record<string, Record<string, string>>, metricsKey?: string): Config {
  const server = (metricsKey
    ? { metrics: { key: new Secret('metrics key', metricsKey) } }
    : {}) as unknown as ServerConfig;
  const entries = Object.entries(users).map(([name, secrets]): [string, User] => [
    name,
    {
      name,
      password: literalPassword('password'),
      totp: undefined,
      allowAny: false,
      secrets: new Map(Object.entries(secrets).map(([key, text]) => [key, new Secret(key, text)])),
      minted: new Map(),
      targets: [],
      keys: [],
    },
  ]);
  return { server, users: new Map(entries) };
}

let now: number;
let active: ActiveConfig;

beforeEach(() => {
  now = 0;
  active = new ActiveConfig(configOf({ alice: { key: OLD }, bob: { key: OTHER } }), () => now);
});

const rotate = () => active.activate(configOf({ alice: { key: NEW }, bob: { key: OTHER } }));
const shown = (user: string, text: string) => active.redactorFor(user).text(text).text;
const isHidden = (user: string, value: string) => !shown(user, `<${value}>`).includes(value);

describe('a value that a reload retires', () => {
  test('stays redacted for ten minutes beside its successor, and no longer', () => {
    rotate();
    for (const minutes of [0, 5, 9.99]) {
      now = minutes * MINUTE;
      assert.deepEqual([isHidden('alice', OLD), isHidden('alice', NEW)], [true, true]);
    }
    now = 10 * MINUTE;
    assert.deepEqual([isHidden('alice', OLD), isHidden('alice', NEW)], [false, true]);
  });

  test('stays redacted until the last call begun before the reload has ended', () => {
    const endFirst = active.beginCall();
    const endSecond = active.beginCall();
    rotate();
    const endLater = active.beginCall();
    now = 60 * MINUTE;
    assert.equal(isHidden('alice', OLD), true);
    endFirst();
    assert.equal(isHidden('alice', OLD), true);
    endSecond();
    assert.equal(isHidden('alice', OLD), false);
    endLater();
  });

  test('is not kept by calls that began after the reload', () => {
    rotate();
    active.beginCall();
    now = 10 * MINUTE;
    assert.equal(isHidden('alice', OLD), false);
  });

  test('stays redacted when further reloads follow, each with its own ten minutes', () => {
    rotate();
    now = 6 * MINUTE;
    active.activate(configOf({ alice: { key: 'third-value-Jd8sGt5' }, bob: { key: OTHER } }));
    now = 9 * MINUTE;
    assert.deepEqual([isHidden('alice', OLD), isHidden('alice', NEW)], [true, true]);
    now = 11 * MINUTE;
    assert.deepEqual([isHidden('alice', OLD), isHidden('alice', NEW)], [false, true]);
    now = 16 * MINUTE;
    assert.equal(isHidden('alice', NEW), false);
  });

  test('stays redacted when its name, its user or all users are removed', () => {
    for (const next of [{ alice: {}, bob: {} }, { bob: { key: OTHER } }, {}]) {
      active = new ActiveConfig(configOf({ alice: { key: OLD } }), () => now);
      active.activate(configOf(next));
      assert.equal(isHidden('alice', OLD), true);
    }
  });

  test('and comes and goes with every reload is kept once, from its last time on', () => {
    const back = () => active.activate(configOf({ alice: { key: OLD }, bob: { key: OTHER } }));
    rotate();
    back();
    const once = active.redactorFor('alice');
    now = 5 * MINUTE;
    rotate();
    back();
    assert.equal(active.redactorFor('alice'), once);
    now = 14 * MINUTE;
    assert.equal(isHidden('alice', NEW), true);
    now = 15 * MINUTE;
    assert.equal(isHidden('alice', NEW), false);
  });

  test('and comes back to stay is redacted for good', () => {
    rotate();
    active.activate(configOf({ alice: { key: OLD }, bob: { key: OTHER } }));
    now = 60 * MINUTE;
    assert.equal(isHidden('alice', OLD), true);
  });

  test('is still removed from log lines for as long', () => {
    rotate();
    now = 9 * MINUTE;
    assert.equal(active.clean(`${OLD} ${NEW} ${OTHER}`), '[REDACTED] [REDACTED] [REDACTED]');
    now = 11 * MINUTE;
    assert.equal(active.clean(`${OLD} ${NEW}`), `${OLD} [REDACTED]`);
  });
});

describe('the redactor of a user', () => {
  test('holds the values of no other user, present or retired', () => {
    assert.equal(shown('bob', OLD), OLD);
    assert.equal(shown('alice', OTHER), OTHER);
    rotate();
    assert.deepEqual([shown('bob', OLD), shown('bob', NEW)], [OLD, NEW]);
    active.activate(configOf({ alice: { key: NEW } }));
    assert.equal(shown('alice', OTHER), OTHER);
  });

  test('of an unknown user holds nothing', () => {
    assert.equal(shown('nobody', `${OLD} ${OTHER}`), `${OLD} ${OTHER}`);
  });

  test('is made once for as long as the values are the same, whatever else a reload changes', () => {
    const [alice, bob] = ['alice', 'bob'].map((user) => active.redactorFor(user));
    assert.equal(active.redactorFor('alice'), alice);
    rotate();
    rotate();
    assert.notEqual(active.redactorFor('alice'), alice);
    assert.equal(active.redactorFor('bob'), bob);
  });

  test('is not the one of a user of that name who was removed', () => {
    const before = active.redactorFor('bob');
    active.activate(configOf({ alice: { key: OLD } }));
    active.activate(configOf({ alice: { key: OLD }, bob: { key: NEW } }));
    assert.notEqual(active.redactorFor('bob'), before);
    assert.deepEqual([isHidden('bob', NEW), isHidden('bob', OTHER)], [true, true]);
  });
});

test('log lines are cleaned of the values of all users and of the metrics key', () => {
  const key = 'metrics-key-of-16-or-more';
  active = new ActiveConfig(configOf({ alice: { key: OLD }, bob: { key: OTHER } }, key));
  assert.equal(
    active.clean(`a ${OLD} b ${OTHER} c ${key}`),
    'a [REDACTED] b [REDACTED] c [REDACTED]',
  );
});

test('the keys of the server that stay in force until a restart are cleaned until then', () => {
  const metrics = (key: string) => ({ metrics: { key: new Secret('metrics key', key) } });
  const decoys = (...keys: string[]) => {
    const [key, ...oldKeys] = keys.map((text) => new Secret('decoys key', text));
    return { decoys: { key, oldKeys } };
  };
  const withServer = (server: object) => ({ ...configOf({}), server: server as ServerConfig });
  const [first, second, third] = ['first-key-Kq7vRzP2', 'second-key-mXw9LtYb', 'third-key-N4cH8s'];

  for (const [before, after] of [
    [metrics(first), metrics(second)],
    [decoys(first), decoys(second)],
    [decoys(third, first), decoys(second)],
    [{ ...metrics(first), ...decoys(third) }, {}],
  ]) {
    active = new ActiveConfig(withServer(before!), () => now);
    active.activate(withServer(after!));
    active.activate(withServer({ ...metrics(second), ...after }));
    now += 60 * MINUTE;
    assert.equal(active.clean(`${first} ${second}`), '[REDACTED] [REDACTED]');
  }
});

describe('a user', () => {
  test('who is removed and added again is another incarnation', () => {
    const first = active.incarnation('alice');
    rotate();
    assert.equal(active.incarnation('alice'), first);
    active.activate(configOf({ bob: {} }));
    assert.equal(active.incarnation('alice'), undefined);
    active.activate(configOf({ alice: {}, bob: {} }));
    assert.notEqual(active.incarnation('alice'), first);
  });

  test('signs in with the password in force', async () => {
    assert.equal(await active.signIn('alice', 'password'), active.incarnation('alice'));
    assert.equal(await active.signIn('alice', 'wrong'), undefined);
    assert.equal(await active.signIn('nobody', 'password'), undefined);
  });

  test('signs in while a reload leaves the password as it is, and not when it changes it', async () => {
    const signingIn = active.signIn('alice', 'password');
    rotate();
    assert.equal(await signingIn, active.incarnation('alice'));

    const tooLate = active.signIn('alice', 'password');
    const next = configOf({ alice: {} });
    const alice = { ...next.users.get('alice')!, password: literalPassword('another') };
    active.activate({ ...next, users: new Map([['alice', alice]]) });
    assert.equal(await tooLate, undefined);
  });

  test('does not sign in when a reload removed the password meanwhile', async () => {
    const signingIn = active.signIn('alice', 'password');
    active.activate(configOf({ bob: {} }));
    assert.equal(await signingIn, undefined);
  });
});

test('a reload tells who is gone and whose targets are not what they were', () => {
  const before = configOf({ alice: {}, bob: {}, carol: {} });
  active = new ActiveConfig(before);
  const generation = active.generation;
  const next = configOf({ alice: {}, bob: {} });
  const bob = { ...next.users.get('bob')!, allowAny: true };
  const change = active.activate({ ...next, users: new Map([...next.users, ['bob', bob]]) });
  assert.deepEqual(change, { removed: ['carol'], changed: ['bob'] });
  assert.equal(active.generation, generation + 1);
});

test('the mark of a password changes with it and with a second factor, and tells neither', () => {
  const key = keyFor('test', undefined);
  const mark = (changes: Partial<User>) => {
    const config = configOf({ alice: {} });
    const user = { ...config.users.get('alice')!, ...changes };
    const changed = new ActiveConfig({ ...config, users: new Map([['alice', user]]) });
    return changed.passwordMark('alice', key);
  };
  const marks = [
    mark({}),
    mark({ password: literalPassword('another') }),
    mark({ totp: new Secret('totp', 'JBSWY3DPEHPK3PXP') }),
  ];
  assert.equal(new Set(marks).size, 3);
  assert.equal(mark({}), marks[0]);
  assert.doesNotMatch(marks.join(), /password|another|JBSW/);
  assert.equal(active.passwordMark('nobody', key), undefined);
});
