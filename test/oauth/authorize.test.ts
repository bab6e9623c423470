/** `/authorize`: who is shown a form, who is sent back, who never is; and what a post must hold. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { cookiesOf } from '../support/mcp/client.ts';
import {
  authorizeUrl,
  CALLBACK,
  CHALLENGE,
  exchange,
  hiddenFields,
  logIn,
  PASSWORD,
  postForm,
  redirectOf,
  register,
  startServer,
  type TestServer,
  tokensOf,
  VERIFIER,
} from './support.ts';

const DOCUMENT_URL = 'https://client.example/client.json';
let server: TestServer;
let clientId: string;
before(async () => {
  server = await startServer({
    loginRateLimit: '1000/s',
    fetchClientMetadata: async (url) => {
      if (url.href !== DOCUMENT_URL) throw new Error('down');
      const document = {
        client_id: DOCUMENT_URL,
        client_name: 'Document app',
        redirect_uris: ['https://client.example/cb', 'http://localhost/cb'],
      };
      return { body: new TextEncoder().encode(JSON.stringify(document)), maxAgeMs: 0 };
    },
  });
  clientId = await register(server);
});
after(() => server.close());

test('the form is sent with headers that keep it to itself', async () => {
  const response = await fetch(authorizeUrl(server, clientId));
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
  assert.equal(response.headers.get('x-frame-options'), 'DENY');
  const policy = response.headers.get('content-security-policy') ?? '';
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+';/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /form-action|unsafe/);
  const page = await response.text();
  assert.doesNotMatch(page, /<script|<link|<img|https?:\/\/(?!127\.0\.0\.1|app\.example)/);
});

test('the form names the client and where the answer goes', async () => {
  const page = await (await fetch(authorizeUrl(server, clientId))).text();
  assert.match(page, /<bdi>Test app<\/bdi>/);
  assert.match(page, /<dd>app\.example<\/dd>/);
});

test('nothing a client or a link says becomes markup', async () => {
  const evil = '"><script>alert(1)</script>';
  const id = await register(server, { client_name: evil, redirect_uris: [CALLBACK] });
  const response = await fetch(authorizeUrl(server, id, { state: evil }));
  const page = await response.text();
  assert.doesNotMatch(page, /<script/);
  assert.equal(hiddenFields(page).state, evil);
  const posted = await logIn(server, authorizeUrl(server, id), { username: evil, password: 'x' });
  assert.doesNotMatch(await posted.text(), /<script/);
});

const pages: [string, Record<string, string | undefined>, RegExp][] = [
  ['an unknown client', { client_id: 'A'.repeat(22) }, /remove this server[\s\S]*\/mcp/],
  ['a client id with markup', { client_id: '"><script>' }, /not known here/],
  ['no client', { client_id: undefined }, /No app asked/],
  ['another redirect', { redirect_uri: 'https://evil.example/' }, /remove this server/],
  ['a longer redirect', { redirect_uri: `${CALLBACK}/x` }, /wrong return address/],
  ['an empty redirect', { redirect_uri: '' }, /wrong return address/],
  ['a document that cannot be had', { client_id: 'https://down.example/c' }, /cannot be read/],
  ['http as client id', { client_id: 'http://client.example/client.json' }, /not known here/],
];
for (const [name, changes, help] of pages) {
  test(`${name} is shown a page that helps, and is never redirected`, async () => {
    const url = authorizeUrl(server, clientId, changes);
    const answers = [
      await fetch(url, { redirect: 'manual' }),
      await postForm(`${server.url}/authorize`, url.searchParams),
    ];
    for (const response of answers) {
      assert.equal(response.status, 400);
      assert.equal(response.headers.get('location'), null);
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
      assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      assert.match(await response.text(), help);
    }
  });
}
for (const name of ['client_id', 'redirect_uri']) {
  test(`${name} given twice is a page, not a redirect`, async () => {
    const url = authorizeUrl(server, clientId);
    url.searchParams.append(name, url.searchParams.get(name)!);
    assert.equal((await fetch(url, { redirect: 'manual' })).status, 400);
  });
}

const errors: [string, Record<string, string | undefined>, string][] = [
  ['no response type', { response_type: undefined }, 'invalid_request'],
  ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
  ['no challenge', { code_challenge: undefined }, 'invalid_request'],
  ['a short challenge', { code_challenge: CHALLENGE.slice(1) }, 'invalid_request'],
  ['a long challenge', { code_challenge: `${CHALLENGE}x` }, 'invalid_request'],
  [
    'no challenge method, which would be plain',
    { code_challenge_method: undefined },
    'invalid_request',
  ],
  ['plain', { code_challenge_method: 'plain', code_challenge: VERIFIER }, 'invalid_request'],
  ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
];
for (const [name, changes, error] of errors) {
  test(`${name} is reported to the client as ${error}, by GET and by POST`, async () => {
    const url = authorizeUrl(server, clientId, changes);
    const answers = [
      await fetch(url, { redirect: 'manual' }),
      await postForm(`${server.url}/authorize`, url.searchParams),
    ];
    for (const response of answers) {
      const location = redirectOf(response);
      assert.equal(location.origin + location.pathname, CALLBACK);
      assert.equal(location.searchParams.get('error'), error);
      assert.equal(location.searchParams.get('state'), 'st&te');
      assert.equal(location.searchParams.get('iss'), server.url);
      assert.equal(location.searchParams.get('code'), null);
    }
  });
}
test('a query with more question marks is read to its end', async () => {
  const id = await register(server, { redirect_uris: ['http://127.0.0.1:9/cb?x=1'] });
  const url = new URL(authorizeUrl(server, id, { redirect_uri: undefined, state: undefined }));
  const response = await fetch(`${url}&state=a?b&redirect_uri=http://127.0.0.1:9/cb?x=1`);
  assert.equal(response.status, 200);
  assert.equal(hiddenFields(await response.text()).state, 'a?b');
});

for (const name of ['state', 'response_type', 'code_challenge', 'zzz']) {
  test(`${name} given twice is reported to the client`, async () => {
    const url = authorizeUrl(server, clientId, { zzz: '1' });
    url.searchParams.append(name, url.searchParams.get(name)!);
    const location = redirectOf(await fetch(url, { redirect: 'manual' }));
    assert.equal(location.searchParams.get('error'), 'invalid_request');
  });
}

for (const state of ['bGluZXM=\n', 'a\rb', 'a\0b']) {
  test(`the state ${JSON.stringify(state)}, which no form brings back, is reported to the client`, async () => {
    const url = authorizeUrl(server, clientId, { state });
    const { searchParams } = redirectOf(await fetch(url, { redirect: 'manual' }));
    assert.equal(searchParams.get('error'), 'invalid_request');
    assert.match(searchParams.get('error_description') ?? '', /^state holds a line break/);
    assert.equal(searchParams.get('state'), state);
  });
}

const tolerated: [string, Record<string, string | undefined>][] = [
  ['no state', { state: undefined }],
  ['no resource', { resource: undefined }],
  ['an empty resource, which counts as none', { resource: '' }],
  ['no redirect, where one is registered', { redirect_uri: undefined }],
  ['scope, prompt and unknown parameters', { scope: 'openid x', prompt: 'consent', zzz: '1' }],
];
for (const [name, changes] of tolerated) {
  test(`signing in works with ${name}`, async () => {
    const location = redirectOf(await logIn(server, authorizeUrl(server, clientId, changes)));
    assert.equal(location.origin + location.pathname, CALLBACK);
    assert.equal(location.searchParams.get('iss'), server.url);
    assert.equal(location.searchParams.has('state'), !('state' in changes));
    await tokensOf(await exchange(server, clientId, location.searchParams.get('code')!));
  });
}

test('an app on this machine may return to any port, and the code is bound to the one it named', async () => {
  const id = await register(server, { redirect_uris: ['http://127.0.0.1/cb'] });
  const redirect_uri = 'http://127.0.0.1:49152/cb';
  const location = redirectOf(await logIn(server, authorizeUrl(server, id, { redirect_uri })));
  assert.equal(location.host, '127.0.0.1:49152');
  const code = location.searchParams.get('code')!;
  const response = await exchange(server, id, code, { redirect_uri: 'http://127.0.0.1:49153/cb' });
  assert.equal(response.status, 400);
});

test("an app's own scheme gets its code, and the query it registered stays", async () => {
  const redirect_uri = 'cursor://anysphere.cursor/cb?k=v';
  const id = await register(server, { redirect_uris: [redirect_uri] });
  const response = await logIn(server, authorizeUrl(server, id, { redirect_uri }));
  assert.match(
    response.headers.get('location') ?? '',
    /^cursor:\/\/anysphere\.cursor\/cb\?k=v&code=[\w-]{92}&state=st%26te&iss=http/,
  );
});

test('a client known by its document signs in without registering', async () => {
  const redirect_uri = 'https://client.example/cb';
  const url = authorizeUrl(server, DOCUMENT_URL, { redirect_uri });
  const page = await (await fetch(url)).text();
  assert.match(page, /Document app[\s\S]*Published by<\/dt><dd>client\.example/);
  const code = redirectOf(await logIn(server, url)).searchParams.get('code')!;
  await tokensOf(await exchange(server, DOCUMENT_URL, code, { redirect_uri }));
});

const origins: [string | undefined, boolean][] = [
  [undefined, true],
  ['null', true],
  ['own', true],
  ['https://evil.example', false],
  ['http://127.0.0.1', false],
  ['http://127.0.0.1.evil.example', false],
];
for (const [origin, passes] of origins) {
  test(`a form posted with Origin ${origin} is ${passes ? 'read' : 'refused'}`, async () => {
    const headers = origin && { origin: origin === 'own' ? server.url : origin };
    const response = await logIn(server, authorizeUrl(server, clientId), {}, headers || {});
    assert.equal(response.status, passes ? 302 : 403);
  });
}

test('a form serves once, also when its password was wrong', async () => {
  const shown = await fetch(authorizeUrl(server, clientId));
  const cookie = cookiesOf(shown);
  const post = (fields: Record<string, string>) =>
    postForm(`${server.url}/authorize`, { username: 'ada', ...fields }, { cookie });
  const fields = hiddenFields(await shown.text());
  assert.equal((await post({ ...fields, password: 'wrong' })).status, 401);
  const again = await post({ ...fields, password: PASSWORD });
  assert.equal(again.status, 400);
  const text = await again.text();
  assert.match(text, /already sent/);
  const done = await post({ ...hiddenFields(text), password: PASSWORD });
  assert.equal(done.status, 302);
  assert.match(done.headers.get('set-cookie') ?? '', /=; Max-Age=0;/);
});

test('a form serves only with its own cookie, which scripts and other sites cannot use', async () => {
  const [one, other] = [
    await fetch(authorizeUrl(server, clientId)),
    await fetch(authorizeUrl(server, clientId)),
  ];
  assert.match(
    one.headers.get('set-cookie') ?? '',
    /^gatehouse-form-\d+=[\w-]{22}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  const fields = { ...hiddenFields(await one.text()), username: 'ada', password: PASSWORD };
  const otherFields = hiddenFields(await other.text());
  const own = cookiesOf(one);
  const forged = own.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  const renamed = cookiesOf(other).replace(/^[^=]+/, own.split('=')[0]!);
  const post = (cookie: string, changes = {}) =>
    postForm(`${server.url}/authorize`, { ...fields, ...changes }, { cookie });
  const refused: [string, object, RegExp][] = [
    ['', {}, /Allow cookies for this site/],
    [cookiesOf(other), {}, /Allow cookies/],
    [`${own}; ${own}`, {}, /Allow cookies/],
    [own, { form_cookie: '64' }, /Allow cookies/],
    [own, { form_cookie: '' }, /Allow cookies/],
    [forged, {}, /open for too long/],
    [renamed, {}, /open for too long/],
    [cookiesOf(other), { form_cookie: otherFields.form_cookie }, /open for too long/],
    [own, { scope: 'offline_access' }, /open for too long/],
  ];
  for (const [cookie, changes, help] of refused) {
    const response = await post(cookie, changes);
    assert.equal(response.status, 400, `${cookie} ${JSON.stringify(changes)}`);
    const page = await response.text();
    assert.match(page, help);
    assert.match(page, /value="ada"/);
  }
  const both = `other=1; ${cookiesOf(other)}; ${own}`;
  assert.equal((await post(both)).status, 302);
});

for (const site of ['cross-site', 'same-site', 'same-origin', 'none', 'odd']) {
  const passes = site === 'same-origin' || site === 'none';
  test(`a form posted with Sec-Fetch-Site ${site} is ${passes ? 'read' : 'refused'}`, async () => {
    const headers = { 'sec-fetch-site': site, origin: 'null' };
    const response = await logIn(server, authorizeUrl(server, clientId), {}, headers);
    assert.equal(response.status, passes ? 302 : 403);
  });
}

test('the cookies of forms are at most 64, however many forms a browser opens', async () => {
  const names = new Set<string>();
  for (let count = 0; count < 130; count += 1) {
    const url = authorizeUrl(server, clientId).href.slice(server.url.length);
    const cookie = (await server.app.inject({ url })).headers['set-cookie'] as string;
    names.add(cookie.split('=')[0]!);
  }
  assert.equal(names.size, 64);
});

const forged: [string, Record<string, string | undefined>][] = [
  ['no form token', { form_token: undefined }],
  ['an invented form token', { form_token: `${'x'.repeat(22)}.9999999999999.${'x'.repeat(43)}` }],
  ['another state', { state: 'other' }],
  ['another challenge', { code_challenge: 'x'.repeat(43) }],
];
for (const [name, changes] of forged) {
  test(`a form with ${name} signs nobody in`, async () => {
    const before = server.lines('login_success').length;
    const response = await logIn(server, authorizeUrl(server, clientId), changes);
    assert.equal(response.status, 400);
    assert.equal(server.lines('login_success').length, before);
  });
}

test('a form of one client does not serve another', async () => {
  const client_id = await register(server);
  const response = await logIn(server, authorizeUrl(server, clientId), { client_id });
  assert.equal(response.status, 400);
});

test('a form that was open for ten minutes has to be filled in again', async () => {
  const shown = await fetch(authorizeUrl(server, clientId));
  server.clock.ms += 10 * 60_000;
  const fields = { ...hiddenFields(await shown.text()), username: 'ada', password: PASSWORD };
  const cookie = cookiesOf(shown);
  const response = await postForm(`${server.url}/authorize`, fields, { cookie });
  assert.equal(response.status, 400);
  assert.match(await response.text(), /value="ada"/);
});

test('forms that are only shown leave nothing but the client behind', async () => {
  await fetch(authorizeUrl(server, clientId));
  const size = await server.size();
  for (let count = 0; count < 200; count += 1) {
    await server.app.inject({ url: authorizeUrl(server, clientId).href.slice(server.url.length) });
  }
  assert.equal(await server.size(), size);
});

const bodies: [string, string, string, number][] = [
  ['JSON', 'application/json', '{}', 415],
  ['a file', 'multipart/form-data; boundary=x', '--x--', 415],
  ['65 KiB', 'application/x-www-form-urlencoded', 'x'.repeat(66_000), 413],
];
for (const [name, type, body, status] of bodies) {
  test(`a post of ${name} is answered with a page`, async () => {
    const headers = { 'content-type': type };
    const response = await fetch(`${server.url}/authorize`, { method: 'POST', headers, body });
    assert.equal(response.status, status);
    assert.match(await response.text(), /could not be read/);
  });
}

test('one source that asks for many documents of a host does not keep others from signing in', async () => {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  let asking = Promise.withResolvers<void>();
  const busy = await startServer({
    isTrustedProxy: () => true,
    fetchClientMetadata: (url) => {
      asked.push(url.pathname);
      asking.resolve();
      const document = { client_id: url.href, redirect_uris: [CALLBACK] };
      const body = new TextEncoder().encode(JSON.stringify(document));
      return new Promise((resolve) => answers.push(() => resolve({ body, maxAgeMs: 0 })));
    },
  });
  const ask = (name: string, source: string) =>
    fetch(authorizeUrl(busy, `https://client.example/${name}`), {
      headers: { 'x-forwarded-for': source },
    });
  const strangers = ['x1', 'x2'].map((name) => ask(name, '192.0.2.66'));
  while (asked.length < 2) await asking.promise.then(() => setImmediate());
  strangers.push(ask('x3', '192.0.2.66'), ask('x4', '192.0.2.66'));
  const refused = await Promise.race(strangers);
  assert.equal(refused.status, 503);
  const user = ask('client.json', '192.0.2.1');
  asking = Promise.withResolvers();
  answers.shift()!();
  await asking.promise;
  asking = Promise.withResolvers();
  answers.shift()!();
  await asking.promise;
  assert.equal(asked.at(-1), '/client.json');
  for (const answer of answers) answer();
  assert.equal((await user).status, 200);
  await Promise.all(strangers);
  await busy.close();
});

test('a form that was shown can be posted, though the site of the app is gone since', async () => {
  const id = 'https://client.example/client.json';
  const redirect_uri = 'https://client.example/cb';
  let isUp = true;
  const site = await startServer({
    fetchClientMetadata: async () => {
      if (!isUp) throw new Error('down');
      const document = { client_id: id, redirect_uris: [redirect_uri] };
      return { body: new TextEncoder().encode(JSON.stringify(document)), maxAgeMs: 0 };
    },
  });
  const url = authorizeUrl(site, id, { redirect_uri });
  assert.equal((await fetch(url)).status, 200);
  site.clock.ms += 9 * 60_000;
  const shown = await fetch(url);
  const cookie = cookiesOf(shown);
  let page = await shown.text();
  isUp = false;
  const post = (password: string) => {
    const fields = { ...hiddenFields(page), username: 'ada', password };
    return postForm(`${site.url}/authorize`, fields, { cookie });
  };
  for (let tries = 0; tries < 3; tries++) {
    site.clock.ms += 9 * 60_000;
    const wrong = await post('wrong');
    assert.equal(wrong.status, 401);
    page = await wrong.text();
  }
  site.clock.ms += 9 * 60_000;
  assert.ok(redirectOf(await post(PASSWORD)).searchParams.get('code'));
  assert.equal((await fetch(url)).status, 400);
  await site.close();
});
