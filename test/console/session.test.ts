/** The sessions of people at the pages of a server, over HTTP: what they open, and what ends them. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { startConsole, TestBrowser, type TestConsole } from './support.ts';

const HOUR_MS = 3_600_000;
const NAME = 'gatehouse-gateway';

let server: TestConsole;
let browser: TestBrowser;
before(async () => {
  server = await startConsole();
});
after(() => server.close());
beforeEach(() => {
  // Every test has its own limits.
  server.clock.ms += 24 * HOUR_MS;
  browser = new TestBrowser(server.url);
  server.acts.length = 0;
});

const isIn = async (one = browser) => (await one.get('/console')).status === 200;
const act = async (one: TestBrowser, headers: Record<string, string> = {}, csrf?: string) => {
  const page = await one.get('/console');
  return one.post('/console/act', { csrf: csrf ?? page.hidden.csrf ?? '' }, headers);
};

test('a page leads to the sign-in page, and signing in back to it', async () => {
  const first = await browser.get('/console?target=a%20b');
  assert.equal(first.status, 303);
  const form = await browser.get(first.headers.location!);
  assert.equal(form.status, 200);
  const posted = { ...form.hidden, username: 'ada', password: 'correct horse battery staple' };
  const answer = await browser.post('/sign-in', posted);
  assert.equal(answer.status, 303);
  assert.equal(answer.headers.location, '/console?target=a%20b');
  const page = await browser.get('/console');
  assert.equal(page.status, 200);
  assert.match(page.text, /Signed in as <bdi>ada<\/bdi>/);
  assert.match(String(page.headers['content-security-policy']), /frame-ancestors 'none'/);
  assert.equal(page.headers['cache-control'], 'no-store');
  const [line] = server.lines('login_success').slice(-1);
  assert.deepEqual([line!.user, line!.client_id, line!.ip], ['ada', null, '127.0.0.1']);
});

test('the cookie is out of reach of scripts and of other sites', async () => {
  const { headers } = await browser.signIn();
  const cookie = headers['set-cookie']!.find((text) => text.startsWith(`${NAME}=`));
  assert.match(cookie!, /^gatehouse-gateway=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
});

test('under https the cookie is a __Host- cookie that is Secure', async () => {
  const https = await startConsole({ publicUrl: 'https://gateway.example.com' });
  try {
    const one = new TestBrowser(https.url);
    const form = await one.get('/sign-in');
    const answer = await one.post(
      '/sign-in',
      { ...form.hidden, username: 'ada', password: 'correct horse battery staple' },
      { origin: 'https://gateway.example.com' },
    );
    const cookie = answer.headers['set-cookie']!.find((text) => text.includes('gateway='));
    assert.match(
      cookie!,
      /^__Host-gatehouse-gateway=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
  } finally {
    await https.close();
  }
});

test('signing in gives a new id, whatever cookie was planted, and ends the session before it', async () => {
  browser.cookies.set(NAME, 'A'.repeat(43));
  await browser.signIn();
  const first = browser.cookies.get(NAME)!;
  assert.notEqual(first, 'A'.repeat(43));
  await browser.signIn('bob');
  // Signed in already: the sign-in page leads on, and no other session is made.
  assert.equal(browser.cookies.get(NAME), first);
  const form = await new TestBrowser(server.url).get('/sign-in');
  assert.equal(form.status, 200);
  const other = new TestBrowser(server.url);
  const shown = await other.get('/sign-in');
  other.cookies.set(NAME, first);
  const fields = { ...shown.hidden, username: 'bob', password: 'correct horse battery staple' };
  assert.equal((await other.post('/sign-in', fields)).status, 303);
  assert.notEqual(other.cookies.get(NAME), first);
  assert.equal(await isIn(), false);
  assert.equal(await isIn(other), true);
});

test('two cookies of the name are none', async () => {
  await browser.signIn();
  const id = browser.cookies.get(NAME)!;
  const cookie = `${NAME}=${id}; ${NAME}=${id}`;
  browser.cookies.clear();
  assert.equal((await browser.get('/console', { cookie })).status, 303);
});

describe('a session ends', () => {
  test('at sign-out, for everyone who has its id', async () => {
    await browser.signIn();
    const thief = new TestBrowser(server.url);
    thief.cookies.set(NAME, browser.cookies.get(NAME)!);
    assert.equal(await isIn(thief), true);
    const { hidden } = await browser.get('/console');
    const answer = await browser.post('/sign-out', { csrf: hidden.csrf! });
    assert.match(answer.text, /You are signed out/);
    assert.equal(browser.cookies.has(NAME), false);
    assert.equal(await isIn(thief), false);
  });

  test('two hours after its last use, and not before', async () => {
    await browser.signIn();
    for (let use = 0; use < 3; use++) {
      server.clock.ms += 2 * HOUR_MS - 1;
      assert.equal(await isIn(), true);
    }
    server.clock.ms += 2 * HOUR_MS;
    assert.equal(await isIn(), false);
  });

  test('twelve hours after it began, however much it is used', async () => {
    await browser.signIn();
    for (let hour = 1; hour < 12; hour++) {
      server.clock.ms += HOUR_MS;
      assert.equal(await isIn(), true);
    }
    server.clock.ms += HOUR_MS;
    assert.equal(await isIn(), false);
  });

  test('when the password of its user changes', async () => {
    server.people.set('eve', 'her first password', 'eve-1');
    await browser.signIn('eve', 'her first password');
    assert.equal(await isIn(), true);
    server.people.set('eve', 'her second password', 'eve-1');
    assert.equal(await isIn(), false);
  });

  test('when its user is removed, also if another one gets the name and the password', async () => {
    server.people.set('eve', 'her first password', 'eve-1');
    await browser.signIn('eve', 'her first password');
    server.people.set('eve', 'her first password', 'eve-2');
    assert.equal(await isIn(), false);
  });

  test('when its user has twenty newer ones', async () => {
    const others = [];
    await browser.signIn();
    for (let count = 0; count < 20; count++) {
      const other = new TestBrowser(server.url);
      await other.signIn();
      others.push(other);
    }
    assert.equal(await isIn(), false);
    assert.equal(await isIn(others[0]), true);
  });
});

describe('a form is refused', () => {
  const foreign: [what: string, headers: Record<string, string>][] = [
    ['of another origin', { origin: 'https://evil.example' }],
    ['of another port of this host', { origin: 'http://127.0.0.1:1' }],
    ['of a sandboxed frame', { origin: 'null' }],
    ['that the browser calls cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['that the browser calls same-site', { 'sec-fetch-site': 'same-site' }],
  ];
  for (const [what, headers] of foreign) {
    test(`${what}, though its cookie and its token are right`, async () => {
      await browser.signIn();
      const answer = await act(browser, headers);
      assert.equal(answer.status, 403);
      assert.match(answer.text, /came from another site/);
      assert.deepEqual(server.acts, []);
    });

    test(`${what}, where it is the sign-in form`, async () => {
      const form = await browser.get('/sign-in');
      const fields = { ...form.hidden, username: 'ada', password: 'correct horse battery staple' };
      assert.equal((await browser.post('/sign-in', fields, headers)).status, 403);
      assert.equal(browser.cookies.has(NAME), false);
    });
  }

  test('without the token, with a wrong one, and with that of another session', async () => {
    await browser.signIn();
    const other = new TestBrowser(server.url);
    await other.signIn();
    const { hidden } = await other.get('/console');
    for (const csrf of ['', 'x'.repeat(43), 'ü'.repeat(43), hidden.csrf!]) {
      assert.equal((await act(browser, {}, csrf)).status, 400, csrf);
    }
    assert.deepEqual(server.acts, []);
    assert.equal((await act(browser)).status, 303);
    assert.deepEqual(server.acts, ['ada']);
  });

  test('without a session', async () => {
    assert.equal((await act(browser)).status, 401);
    assert.deepEqual(server.acts, []);
  });

  test('that was signed in with before, or in another browser', async () => {
    const { hidden } = await browser.get('/sign-in');
    const fields = { ...hidden, username: 'ada', password: 'correct horse battery staple' };
    const other = new TestBrowser(server.url);
    assert.match((await other.post('/sign-in', fields)).text, /did not send back the cookie/);
    const cookies = new Map(browser.cookies);
    assert.equal((await browser.post('/sign-in', fields)).status, 303);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    assert.match((await browser.post('/sign-in', fields)).text, /open for too long/);
  });

  test('that leads elsewhere afterwards', async () => {
    const elsewhere = ['//evil.example', '/\\evil.example', 'https://evil.example/', '/%0d\n', 'x'];
    for (const next of elsewhere) {
      const one = new TestBrowser(server.url);
      assert.equal((await one.signIn('ada', undefined, next)).headers.location, '/console');
    }
  });
});

test('a bearer token opens no page and posts no form, also beside the cookie', async () => {
  await browser.signIn();
  const authorization = 'Bearer some-token-of-an-app';
  assert.equal((await browser.get('/console', { authorization })).status, 403);
  assert.equal((await act(browser, { authorization })).status, 403);
  const form = await browser.get('/sign-in', { authorization });
  assert.equal(form.status, 403);
  assert.deepEqual(server.acts, []);
});

test('a link from elsewhere shows where to continue, and nothing of the page', async () => {
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
  const page = await browser.get('/console?q=1', headers);
  assert.equal(page.status, 200);
  const [, href] = /href="(\/sign-in[^"]*)"/.exec(page.text)!;
  assert.match(page.text, />Continue</);
  await browser.signIn();
  assert.equal((await browser.get(href!)).headers.location, '/console?q=1');
});

test('a page of another site reads nothing, though a browser should send the cookie', async () => {
  await browser.signIn();
  for (const mode of ['no-cors', 'cors']) {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode };
    assert.equal((await browser.get('/console', headers)).status, 403);
  }
});

test('wrong passwords are limited and logged like those of apps', async () => {
  for (let attempt = 0; attempt < 10; attempt++) {
    assert.equal((await browser.signIn('ada', 'wrong')).status, 401);
  }
  const answer = await browser.signIn();
  assert.equal(answer.status, 429);
  assert.equal(answer.headers['retry-after'], '6');
  assert.equal(server.lines('login_failed').at(-1)!.reason, 'rate_limited');
});

test('the store holds neither an id nor a token of a form', async () => {
  await browser.signIn();
  const { hidden } = await browser.get('/console');
  const id = browser.cookies.get(NAME)!;
  for (const store of server.stores) {
    assert.equal(await store.get('console-sessions', id), undefined);
    for (const text of [id, hidden.csrf!]) {
      const records = JSON.stringify(await store.get('console-sessions', text));
      assert.equal(records, undefined);
    }
  }
});

describe('a second factor', () => {
  const used = new Set<string>();
  let guarded: TestConsole;
  before(async () => {
    guarded = await startConsole({
      secondFactor: {
        isNeeded: (user) => user === 'ada',
        check: async (_user, code) => {
          const isRight = code === '123456' && !used.has(code);
          used.add(code);
          return isRight;
        },
      },
    });
  });
  after(() => guarded.close());
  beforeEach(() => {
    guarded.clock.ms += 24 * HOUR_MS;
    used.clear();
    browser = new TestBrowser(guarded.url);
  });

  test('is asked for after the right password alone, and then opens a session', async () => {
    assert.equal((await browser.signIn('ada', 'wrong')).status, 401);
    const asked = await browser.signIn('ada', undefined, '/console?x=1');
    assert.match(asked.text, /Enter the code/);
    assert.equal(await isIn(), false);
    const answer = await browser.post('/sign-in/code', { ...asked.hidden, code: '123 456' });
    assert.equal(answer.headers.location, '/console?x=1');
    assert.equal(await isIn(), true);
    // What was between password and code is over.
    const again = await browser.post('/sign-in/code', { ...asked.hidden, code: '123456' });
    assert.equal(again.status, 400);
  });

  test('is not asked of a user who has none', async () => {
    assert.equal((await browser.signIn('bob')).status, 303);
    assert.equal(await isIn(), true);
  });

  test('opens nothing with a wrong code, and counts it against the limits', async () => {
    const asked = await browser.signIn();
    for (let attempt = 0; attempt < 10; attempt++) {
      const answer = await browser.post('/sign-in/code', { ...asked.hidden, code: '000000' });
      assert.equal(answer.status, 401);
    }
    const answer = await browser.post('/sign-in/code', { ...asked.hidden, code: '123456' });
    assert.equal(answer.status, 429);
    assert.equal(await isIn(), false);
  });

  test('is limited for a user, however slowly and from wherever it is guessed', async () => {
    let asked = await browser.signIn();
    for (let attempt = 0; attempt < 20; attempt++) {
      if (attempt % 5 === 0) asked = await browser.signIn();
      guarded.clock.ms += 8_000;
      await browser.post('/sign-in/code', { ...asked.hidden, code: '000000' });
    }
    const answer = await browser.post('/sign-in/code', { ...asked.hidden, code: '123456' });
    assert.equal(answer.status, 429);
    assert.equal(guarded.lines('login_failed').at(-1)!.reason, 'too_many_codes');
  });

  test('must come within five minutes, from the same browser, with the token of its form', async () => {
    const asked = await browser.signIn();
    const code = { ...asked.hidden, code: '123456' };
    const other = new TestBrowser(guarded.url);
    assert.equal((await other.post('/sign-in/code', code)).status, 400);
    assert.equal((await browser.post('/sign-in/code', { ...code, csrf: 'x' })).status, 400);
    guarded.clock.ms += 5 * 60_000;
    assert.equal((await browser.post('/sign-in/code', code)).status, 400);
    assert.equal(await isIn(), false);
  });

  test('is not gone around with the cookie between password and code', async () => {
    await browser.signIn();
    const between = browser.cookies.get(`${NAME}-code`)!;
    browser.cookies.set(NAME, between);
    assert.equal(await isIn(), false);
  });
});
