/** Passwords: what a wrong one costs, how often one may try, and who else must wait for it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { TooManyAttempts } from '../../src/core/secrets/hash-threads.ts';
import {
  bcryptPassword,
  dummyHash,
  literalPassword,
  type Password,
  verifyPassword,
} from '../../src/core/secrets/password.ts';
import type { Users } from '../../src/core/users.ts';
import { cookiesOf } from '../support/mcp/client.ts';
import {
  authorizeUrl,
  hiddenFields,
  logIn,
  PASSWORD,
  postForm,
  register,
  startServer,
} from './support.ts';

test('an unknown user and a wrong password get the same page, byte for byte', async (context) => {
  const server = await startServer();
  context.after(() => server.close());
  const url = authorizeUrl(server, await register(server));
  const wrong = await logIn(server, url, { password: 'wrong' });
  const unknown = await logIn(server, url, { username: 'eve', password: 'wrong' });
  assert.equal(wrong.status, 401);
  assert.equal(unknown.status, 401);
  const anonymous = (page: string) =>
    page
      .replace(/(name="form_(?:token|cookie)" value=")[^"]+/g, '$1')
      .replace(/value="(ada|eve)"/, '');
  assert.equal(anonymous(await wrong.text()), anonymous(await unknown.text()));
  const { user, reason, ip } = server.lines('login_failed')[1]!;
  assert.deepEqual(
    { user, reason, ip },
    { user: 'eve', reason: 'wrong_password', ip: '127.0.0.1' },
  );
});

test('an unknown user costs as many hashes as a wrong password', async (context) => {
  const asked: (Password | undefined)[] = [];
  const known = bcryptPassword(dummyHash(4))!;
  const users: Users = {
    async signIn(name, password) {
      const held = name === 'ada' ? known : undefined;
      asked.push(held);
      return (await verifyPassword(held, password, 4)) ? 'ada-1' : undefined;
    },
    incarnation: () => 'ada-1',
    passwordMark: () => undefined,
  };
  const server = await startServer({ users });
  context.after(() => server.close());
  const url = authorizeUrl(server, await register(server));
  await logIn(server, url, { username: 'eve' });
  await logIn(server, url, { username: 'ada', password: 'x'.repeat(100) });
  assert.deepEqual(asked, [undefined, known]);
});

test('the eleventh failure in a minute is 429 and says when to try again', async (context) => {
  const server = await startServer();
  context.after(() => server.close());
  const url = authorizeUrl(server, await register(server));
  for (let failure = 1; failure <= 10; failure += 1) {
    assert.equal((await logIn(server, url, { password: 'wrong' })).status, 401);
  }
  const shown = await fetch(url);
  const cookie = cookiesOf(shown);
  const eleventh = await postForm(
    `${server.url}/authorize`,
    { ...hiddenFields(await shown.text()), username: 'ada', password: 'wrong' },
    { cookie },
  );
  assert.equal(eleventh.status, 429);
  assert.equal(eleventh.headers.get('retry-after'), '6');
  const page = await eleventh.text();
  assert.match(page, /Try again in 6 seconds/);
  assert.equal(server.lines('login_failed').at(-1)?.reason, 'rate_limited');

  const fields = { ...hiddenFields(page), username: 'ada', password: PASSWORD };
  const post = () => postForm(`${server.url}/authorize`, fields, { cookie });
  assert.equal((await post()).status, 429);
  server.clock.ms += 6_000;
  assert.equal((await post()).status, 302);
});

test('a success does not count, nor does a form that was stale', async (context) => {
  const server = await startServer({ loginRateLimit: '2/h' });
  context.after(() => server.close());
  const url = authorizeUrl(server, await register(server));
  for (let success = 0; success < 5; success += 1) {
    assert.equal((await logIn(server, url)).status, 302);
    assert.equal((await logIn(server, url, { form_token: 'x' })).status, 400);
  }
  assert.equal((await logIn(server, url, { password: 'wrong' })).status, 401);
  assert.equal((await logIn(server, url)).status, 302);
});

test('attempts in parallel are limited as well: no more passwords are looked at than allowed', async (context) => {
  let looked = 0;
  const users: Users = {
    async signIn() {
      looked += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return undefined;
    },
    incarnation: () => undefined,
    passwordMark: () => undefined,
  };
  const server = await startServer({ users });
  context.after(() => server.close());
  const url = authorizeUrl(server, await register(server));
  const answers = await Promise.all(Array.from({ length: 60 }, () => logIn(server, url)));
  assert.equal(looked, 10);
  assert.equal(answers.filter(({ status }) => status === 429).length, 50);
});

test('each source address has its own limit, which a forwarded header changes only behind a trusted proxy', async (context) => {
  for (const isTrusted of [true, false]) {
    const server = await startServer({ loginRateLimit: '1/h', isTrustedProxy: () => isTrusted });
    context.after(() => server.close());
    const url = authorizeUrl(server, await register(server));
    const from = (ip: string) => ({ 'x-forwarded-for': ip });
    const statuses = [];
    for (const ip of ['203.0.113.7', '203.0.113.8', '2001:db8:1:2::1', '2001:db8:1:2::2']) {
      statuses.push((await logIn(server, url, { password: 'wrong' }, from(ip))).status);
    }
    assert.deepEqual(statuses, isTrusted ? [401, 401, 401, 429] : [401, 429, 429, 429]);
    const { status } = await logIn(server, url, {}, from('203.0.113.9:5555'));
    assert.equal(status, isTrusted ? 302 : 429);
    const ip = server.lines('login_success')[0]?.ip;
    assert.equal(ip, isTrusted ? '203.0.113.9' : undefined);
  }
});

test('when too many wait, the form says so and the attempt is not counted', async (context) => {
  let busy = true;
  const users: Users = {
    async signIn() {
      if (busy) throw new TooManyAttempts();
      return 'ada-1';
    },
    incarnation: () => 'ada-1',
    passwordMark: () => undefined,
  };
  const server = await startServer({ users, loginRateLimit: '1/h' });
  context.after(() => server.close());
  const url = authorizeUrl(server, await register(server));
  const response = await logIn(server, url);
  assert.equal(response.status, 503);
  assert.ok(Number(response.headers.get('retry-after')) > 0);
  assert.match(await response.text(), /try again in a few seconds/i);
  busy = false;
  assert.equal((await logIn(server, url)).status, 302);
});

test('a failure inside is a page, a log line, and no detail', async (context) => {
  const users: Users = {
    signIn: () => Promise.reject(new Error('secret detail')),
    incarnation: () => undefined,
    passwordMark: () => undefined,
  };
  const server = await startServer({ users });
  context.after(() => server.close());
  const response = await logIn(server, authorizeUrl(server, await register(server)));
  assert.equal(response.status, 500);
  assert.doesNotMatch(await response.text(), /secret detail/);
  assert.equal(server.lines('internal_error').length, 1);
});

test('other requests are answered while a hundred passwords are being hashed', async (context) => {
  let pending = 0;
  const begun = Promise.withResolvers<void>();
  const users: Users = {
    async signIn(_name, password) {
      pending += 1;
      begun.resolve();
      const isRight = await verifyPassword(literalPassword('other'), password, 7);
      pending -= 1;
      return isRight ? 'x' : undefined;
    },
    incarnation: () => undefined,
    passwordMark: () => undefined,
  };
  const server = await startServer({ users, loginRateLimit: '1000/s' });
  context.after(() => server.close());
  const url = authorizeUrl(server, await register(server));
  const attempts = Promise.all(Array.from({ length: 100 }, () => logIn(server, url)));
  await begun.promise;
  const hashingAtAnswer: number[] = [];
  for (let count = 0; count < 5; count += 1) {
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
    hashingAtAnswer.push(pending);
  }
  assert.ok(Math.max(...hashingAtAnswer) > 0, `hashes pending: ${hashingAtAnswer}`);
  for (const { status } of await attempts) assert.equal(status, 401);
});

test('what is logged of a name is bounded, and no password is logged', async (context) => {
  const server = await startServer();
  context.after(() => server.close());
  const url = authorizeUrl(server, await register(server));
  await logIn(server, url, {
    username: `${'n'.repeat(30_000)}\n{"event":"forged"}`,
    password: 'hunter22',
  });
  assert.equal(server.lines('login_failed')[0]?.user, '(longer than 64 characters)');
  assert.doesNotMatch(server.text.join(''), /hunter22|forged/);
});

test('nothing is logged of a token that was pasted as the name', async (context) => {
  const server = await startServer();
  context.after(() => server.close());
  const url = authorizeUrl(server, await register(server));
  const token = `github_pat_${'11ABCDEFG0'.repeat(8)}zz`;
  assert.equal(token.length, 93);
  await logIn(server, url, { username: token, password: 'hunter22' });
  assert.equal(server.lines('login_failed').length, 1);
  assert.doesNotMatch(server.text.join(''), /github_pat/);
});

test('a name typed with spaces around it, as phones do, is the name', async (context) => {
  const server = await startServer();
  context.after(() => server.close());
  const url = authorizeUrl(server, await register(server));
  assert.equal((await logIn(server, url, { username: ' ada ' })).status, 302);
});

test('a user who signs in for ever fills no more than a fair share of the store', async (context) => {
  const server = await startServer();
  context.after(() => server.close());
  const url = authorizeUrl(server, await register(server));
  server.settings.codeTtlMs = 3_600_000;
  for (let count = 0; count < 60; count += 1) await logIn(server, url);
  // The forms that were posted are forgotten by then.
  server.clock.ms += 600_000;
  assert.ok((await server.size()) <= 25, `${await server.size()} records`);
});

test('successful sign-ins of one user are limited; those of another are not held up', async (context) => {
  const server = await startServer();
  context.after(() => server.close());
  server.people.add('bob');
  const url = authorizeUrl(server, await register(server));
  for (let count = 0; count < 100; count += 1) {
    assert.equal((await logIn(server, url)).status, 302);
  }
  const limited = await logIn(server, url);
  assert.equal(limited.status, 429);
  assert.equal(limited.headers.get('retry-after'), '36');
  assert.match(await limited.text(), /signed in too often. Try again in 36 seconds/);
  assert.equal(server.lines('login_failed').at(-1)?.reason, 'too_many_sign_ins');
  assert.equal((await logIn(server, url, { username: 'bob' })).status, 302);
  server.clock.ms += 36_000;
  assert.equal((await logIn(server, url)).status, 302);
});
