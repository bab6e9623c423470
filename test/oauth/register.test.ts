/** `POST /register`: what is tolerated, what is refused, and what a flood cannot do. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { cookiesOf } from '../support/mcp/client.ts';
import { isLongRun } from '../support/property-runs.ts';
import {
  authorizeUrl,
  CALLBACK,
  callMcp,
  errorOf,
  exchange,
  hiddenFields,
  PASSWORD,
  postForm,
  postJson,
  redirectOf,
  refresh,
  register,
  signedIn,
  startServer,
  type TestServer,
  tokensOf,
} from './support.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.close());

/** Ten times as many as the server of that test keeps. */
const FLOOD = isLongRun ? 10_000 : 2_500;

const uris = { redirect_uris: [CALLBACK] };

const tolerated: [string, object][] = [
  ['the least there can be', uris],
  ['an empty scope', { ...uris, scope: '' }],
  ['an odd scope', { ...uris, scope: ['a', 1, null] }],
  ['unknown members', { ...uris, software_statement: 'x', zzz: { a: [1] } }],
  ['another authentication method', { ...uris, token_endpoint_auth_method: 'client_secret_basic' }],
  ['other grants', { ...uris, grant_types: ['implicit'], response_types: ['token'] }],
  ['addresses of pictures', { ...uris, logo_uri: 'http://127.0.0.1/x', client_uri: 'file:///x' }],
  ['a name that is no text', { ...uris, client_name: 5 }],
  ['a native app', { ...uris, application_type: 'native' }],
];
for (const [name, metadata] of tolerated) {
  test(`a registration is accepted with ${name}`, async () => {
    const response = await postJson(`${server.url}/register`, metadata);
    assert.equal(response.status, 201);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const text = await response.text();
    assert.doesNotMatch(text, /null/);
    const { client_id, client_id_issued_at, ...rest } = JSON.parse(text);
    assert.match(client_id, /^[A-Za-z0-9_-]{22}$/);
    assert.equal(client_id_issued_at, server.clock.ms / 1_000);
    assert.deepEqual(rest, {
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
  });
}

/** Sends requests on one connection and gives the statuses of the answers. */
async function statusesOf(requests: string): Promise<string[]> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.write(requests);
  await once(socket, 'close');
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status);
}

const byteByByte = (text: string) =>
  `${[...text].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`;
const JSON_IN_CHUNKS =
  'Host: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n';

test('a body that comes byte by byte is read, refused where it is too long, or passes by', async () => {
  const last = 'Connection: close\r\n\r\n';
  const small = byteByByte(JSON.stringify(uris));
  const large = byteByByte(JSON.stringify({ ...uris, client_name: 'x'.repeat(70_000) }));
  const good = `POST /register HTTP/1.1\r\n${JSON_IN_CHUNKS}`;
  assert.deepEqual(await statusesOf(`${good}\r\n${small}${good}${last}${small}`), ['201', '201']);
  assert.deepEqual(await statusesOf(`${good}${last}${large}`), ['413']);
  const unread = `GET /authorize HTTP/1.1\r\n${JSON_IN_CHUNKS}\r\n${large}`;
  assert.deepEqual(await statusesOf(`${unread}${good}${last}${small}`), ['400', '201']);
});

test('a client that breaks off in the middle of a body harms nobody, read or not', async () => {
  const unread = 'Host: x\r\nTransfer-Encoding: chunked\r\n';
  for (const [line, headers] of [
    ['POST /register', JSON_IN_CHUNKS],
    ['POST /register', unread],
    ['PUT /register', unread],
    ['GET /authorize', unread],
    ['POST /token', unread],
  ] as const) {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`${line} HTTP/1.1\r\n${headers}\r\n1\r\n{\r\n`, () => socket.resetAndDestroy());
    await once(socket, 'close');
    await statusesOf(`${line} HTTP/1.1\r\n${headers}\r\nzz\r\n`);
    assert.equal((await postJson(`${server.url}/register`, uris)).status, 201);
  }
});

test('all redirect URIs of a registration are kept, in their order', async () => {
  const redirect_uris = [
    'https://vscode.dev/redirect',
    'http://localhost/',
    'http://127.0.0.1:33418/',
    'cursor://anysphere.cursor-retrieval/oauth/callback',
  ];
  const response = await postJson(`${server.url}/register`, { redirect_uris });
  assert.deepEqual(((await response.json()) as typeof uris).redirect_uris, redirect_uris);
});

test('a name comes back without what could rearrange a page', async () => {
  const client_name = `\u202eevil\u0000 ${'x'.repeat(500)}`;
  const response = await postJson(`${server.url}/register`, { ...uris, client_name });
  const shown = ((await response.json()) as { client_name: string }).client_name;
  assert.equal(shown.length, 80);
  assert.match(shown, /^evil x+…$/);
});

const many = Array.from({ length: 51 }, (_, index) => `https://a.example/${index}`);
const long = Array.from(
  { length: 5 },
  (_, index) => `https://a.example/${index}${'x'.repeat(2_000)}`,
);
const refused: [string, unknown, string][] = [
  ['no redirect URIs', {}, '400 invalid_redirect_uri'],
  ['an empty list', { redirect_uris: [] }, '400 invalid_redirect_uri'],
  ['a text instead of a list', { redirect_uris: CALLBACK }, '400 invalid_redirect_uri'],
  ['a number in the list', { redirect_uris: [1] }, '400 invalid_redirect_uri'],
  ['a script', { redirect_uris: ['javascript:alert(1)'] }, '400 invalid_redirect_uri'],
  ['one bad among good', { redirect_uris: [CALLBACK, 'data:,x'] }, '400 invalid_redirect_uri'],
  ['http on another machine', { redirect_uris: ['http://a.example/'] }, '400 invalid_redirect_uri'],
  ['too many URIs', { redirect_uris: many }, '400 invalid_redirect_uri'],
  ['too long together', { redirect_uris: long }, '400 invalid_redirect_uri'],
  ['a list', [uris], '400 invalid_client_metadata'],
  ['null', 'null', '400 invalid_client_metadata'],
  ['no JSON', '{', '400 invalid_client_metadata'],
  ['an empty body', '', '400 invalid_client_metadata'],
  ['a prototype', `{"__proto__":{"redirect_uris":["${CALLBACK}"]}}`, '400 invalid_client_metadata'],
  ['more than 64 KiB', { ...uris, x: 'x'.repeat(65_536) }, '413 invalid_client_metadata'],
  ['deep JSON', `${'['.repeat(30_000)}${']'.repeat(30_000)}`, '400 invalid_client_metadata'],
];
for (const [name, body, expected] of refused) {
  test(`a registration is refused: ${name}`, async () => {
    const response = await postJson(`${server.url}/register`, body);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(await errorOf(response), expected);
  });
}

test('a registration that is not JSON is refused by its content type', async () => {
  const response = await fetch(`${server.url}/register`, {
    method: 'POST',
    body: new URLSearchParams({ redirect_uris: CALLBACK }),
  });
  assert.equal(await errorOf(response), '415 invalid_client_metadata');
});

test('a flood of registrations stays bounded and signs nobody out', async (context) => {
  const flooded = await startServer({ capacity: FLOOD / 10 });
  context.after(() => flooded.close());
  const { clientId, tokens } = await signedIn(flooded);
  const idle = await register(flooded);
  for (let count = 0; count < FLOOD; count += 1) {
    const payload = { redirect_uris: [`https://flood.example/${count}`] };
    const response = await flooded.app.inject({ method: 'POST', url: '/register', payload });
    assert.equal(response.statusCode, 201);
  }
  assert.ok((await flooded.size()) < FLOOD / 10 + 10, `${await flooded.size()} records`);
  assert.equal((await callMcp(flooded, tokens.access_token)).status, 200);
  await tokensOf(await refresh(flooded, clientId, tokens.refresh_token));
  assert.equal(await errorOf(await refresh(flooded, idle, 'x')), '401 invalid_client');
});

test('registrations from one address evict neither a client whose form is open nor those of others', async (context) => {
  const flooded = await startServer({ capacity: 300, isTrustedProxy: () => true });
  context.after(() => flooded.close());
  const quiet = await register(flooded);
  const open = await register(flooded);
  const shown = await fetch(authorizeUrl(flooded, open));
  const fields = { ...hiddenFields(await shown.text()), username: 'ada', password: PASSWORD };
  for (let count = 0; count < 1_000; count += 1) {
    const headers = { 'x-forwarded-for': `2001:db8:0:1::${count.toString(16)}` };
    const payload = { redirect_uris: [CALLBACK] };
    await flooded.app.inject({ method: 'POST', url: '/register', payload, headers });
  }
  assert.equal((await fetch(authorizeUrl(flooded, quiet))).status, 200);
  for (let count = 0; count < 1_000; count += 1) {
    const headers = { 'x-forwarded-for': `2001:db8:0:${count.toString(16)}::1` };
    const payload = { redirect_uris: [CALLBACK] };
    await flooded.app.inject({ method: 'POST', url: '/register', payload, headers });
  }
  const cookie = cookiesOf(shown);
  const done = await postForm(`${flooded.url}/authorize`, fields, { cookie });
  const code = redirectOf(done).searchParams.get('code')!;
  await tokensOf(await exchange(flooded, open, code));
});

test('one source has a hundred clients that are kept for an open form, and takes no place of another', async (context) => {
  const flooded = await startServer({ capacity: 200, isTrustedProxy: () => true });
  context.after(() => flooded.close());
  const first = await register(flooded);
  await fetch(authorizeUrl(flooded, first));
  const headers = { 'x-forwarded-for': '203.0.113.7' };
  const shown: string[] = [];
  for (let count = 0; count < 101; count += 1) {
    const id = await register(flooded);
    shown.push(id);
    await fetch(authorizeUrl(flooded, id), { headers });
  }
  for (let count = 0; count < 400; count += 1) await register(flooded);
  const status = async (id: string) => (await fetch(authorizeUrl(flooded, id))).status;
  assert.equal(await status(first), 200);
  assert.equal(await status(shown[1]!), 200);
  assert.equal(await status(shown[0]!), 400);
});

test('a user who signs in with one new client after the other does not stop registrations', async (context) => {
  const small = await startServer({ capacity: 120 });
  context.after(() => small.close());
  for (let count = 0; count < 150; count += 1) {
    small.clock.ms += 36_000;
    await signedIn(small);
  }
  assert.equal((await postJson(`${small.url}/register`, uris)).status, 201);
});

test('a client is kept while a live sign-in refers to it, and no longer', async (context) => {
  const small = await startServer({ capacity: 10 });
  context.after(() => small.close());
  const { clientId, tokens } = await signedIn(small);
  small.clock.ms += 11 * 60_000;
  const flood = async () => {
    for (let count = 0; count < 30; count += 1) await register(small);
  };
  await flood();
  const second = await tokensOf(await refresh(small, clientId, tokens.refresh_token));
  small.clock.ms += 60_100;
  await flood();
  assert.equal((await fetch(authorizeUrl(small, clientId))).status, 200);
  small.clock.ms += 11 * 60_000;
  const reuse = await refresh(small, clientId, tokens.refresh_token);
  assert.equal(await errorOf(reuse), '400 invalid_grant');
  const ended = await refresh(small, clientId, second.refresh_token);
  assert.equal(await errorOf(ended), '400 invalid_grant', 'the client is known still');
  await flood();
  const gone = await refresh(small, clientId, second.refresh_token);
  assert.equal(await errorOf(gone), '401 invalid_client');
});

test('a client that is used stays known; one that is not is forgotten after thirty days', async (context) => {
  const patient = await startServer();
  context.after(() => patient.close());
  const day = 86_400_000;
  const used = await signedIn(patient);
  const unused = await signedIn(patient);
  let { refresh_token } = used.tokens;
  for (let month = 0; month < 3; month += 1) {
    patient.clock.ms += 29 * day;
    ({ refresh_token } = await tokensOf(await refresh(patient, used.clientId, refresh_token)));
  }
  const late = await refresh(patient, unused.clientId, unused.tokens.refresh_token);
  assert.equal(await errorOf(late), '401 invalid_client');
});
