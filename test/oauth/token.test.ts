/** `POST /token`: what a code and a refresh token are worth, to whom, and how often. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  authorizeUrl,
  CALLBACK,
  CHALLENGE,
  callMcp,
  errorOf,
  exchange,
  logIn,
  obtainCode,
  postForm,
  redirectOf,
  refresh,
  register,
  signedIn,
  startServer,
  type TestServer,
  tokensOf,
  VERIFIER,
} from './support.ts';

let server: TestServer;
let clientId: string;
before(async () => {
  server = await startServer();
  clientId = await register(server);
});
after(() => server.close());

test('a code and its verifier give a bearer token and a refresh token, not to be stored', async () => {
  const response = await exchange(server, clientId, await obtainCode(server, clientId));
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const tokens = await tokensOf(response);
  assert.deepEqual(Object.keys(tokens).sort(), [
    'access_token',
    'expires_in',
    'refresh_token',
    'scope',
    'token_type',
  ]);
  assert.equal(tokens.token_type, 'Bearer');
  assert.equal(tokens.expires_in, 43_200);
});

const accepted: [string, Record<string, string | undefined>][] = [
  ['no resource', { resource: undefined }],
  ['an empty resource, which counts as none', { resource: '' }],
  ['unknown scopes and parameters', { scope: 'a b c', audience: 'x' }],
  ['no redirect_uri, as in OAuth 2.1', { redirect_uri: undefined }],
];
for (const [name, changes] of accepted) {
  test(`a code is exchanged with ${name}`, async () => {
    const code = await obtainCode(server, clientId);
    await tokensOf(await exchange(server, clientId, code, changes));
  });
}
for (const suffix of ['', '/', '/mcp']) {
  test(`the resource <public>${suffix} is this server`, async () => {
    const code = await obtainCode(server, clientId);
    const resource = server.url + suffix;
    const tokens = await tokensOf(await exchange(server, clientId, code, { resource }));
    await tokensOf(await refresh(server, clientId, tokens.refresh_token, { resource }));
  });
}

const refused: [string, Record<string, string | undefined>, string][] = [
  ['no verifier', { code_verifier: undefined }, '400 invalid_request'],
  ['an empty verifier', { code_verifier: '' }, '400 invalid_request'],
  ['a short verifier', { code_verifier: VERIFIER.slice(1) }, '400 invalid_grant'],
  ['a wrong verifier', { code_verifier: 'w'.repeat(43) }, '400 invalid_grant'],
  ['the challenge as verifier', { code_verifier: CHALLENGE }, '400 invalid_grant'],
  ['another redirect', { redirect_uri: `${CALLBACK}/` }, '400 invalid_grant'],
  ['another resource', { resource: 'https://other.example/mcp' }, '400 invalid_target'],
];
for (const [name, changes, expected] of refused) {
  test(`a code is refused with ${name}, and is spent by the attempt`, async () => {
    const code = await obtainCode(server, clientId);
    assert.equal(await errorOf(await exchange(server, clientId, code, changes)), expected);
    const reuses = server.lines('token_reuse_detected').length;
    assert.equal(await errorOf(await exchange(server, clientId, code)), '400 invalid_grant');
    assert.equal(server.lines('token_reuse_detected').length, reuses + 1);
  });
}

test('a code is refused to another client, and is spent by the attempt', async () => {
  const code = await obtainCode(server, clientId);
  const other = await register(server);
  assert.equal(await errorOf(await exchange(server, other, code)), '400 invalid_grant');
  assert.equal(await errorOf(await exchange(server, clientId, code)), '400 invalid_grant');
});

const malformed: [string, Record<string, string | undefined>, string][] = [
  ['an unknown client', { client_id: 'A'.repeat(22) }, '401 invalid_client'],
  ['an unknown client before its grant', { client_id: 'x', grant_type: 'x' }, '401 invalid_client'],
  ['no client', { client_id: undefined }, '400 invalid_request'],
  ['no grant type', { grant_type: undefined }, '400 invalid_request'],
  ['another grant type', { grant_type: 'password' }, '400 unsupported_grant_type'],
  ['a grant type from the prototype', { grant_type: '__proto__' }, '400 unsupported_grant_type'],
  ['no code', { code: undefined }, '400 invalid_request'],
  ['a code that never was', { code: 'x' }, '400 invalid_grant'],
  ['a code of the right form', { code: 'x'.repeat(92) }, '400 invalid_grant'],
  ['a code that is far too long', { code: 'x'.repeat(60_000) }, '400 invalid_grant'],
];
for (const [name, changes, expected] of malformed) {
  test(`/token refuses ${name}`, async () => {
    const response = await exchange(server, clientId, 'code', changes);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(await errorOf(response), expected);
  });
}

for (const name of ['grant_type', 'client_id', 'code', 'code_verifier', 'zzz']) {
  test(`/token refuses ${name} given twice`, async () => {
    const code = await obtainCode(server, clientId);
    const fields = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      code_verifier: VERIFIER,
      zzz: '1',
    });
    fields.append(name, fields.get(name)!);
    assert.equal(
      await errorOf(await postForm(`${server.url}/token`, fields)),
      '400 invalid_request',
    );
  });
}

const bodies: [string, string, string, string][] = [
  ['JSON', 'application/json', '{"grant_type":"refresh_token"}', '415 invalid_request'],
  ['no type', '', 'grant_type=refresh_token', '415 invalid_request'],
  ['65 KiB', 'application/x-www-form-urlencoded', 'x'.repeat(66_000), '413 invalid_request'],
  ['nothing', 'application/x-www-form-urlencoded', '', '400 invalid_request'],
];
for (const [name, type, payload, expected] of bodies) {
  test(`/token refuses a body with ${name}, in OAuth's own shape`, async () => {
    const headers = type ? { 'content-type': type } : {};
    const response = await server.app.inject({ method: 'POST', url: '/token', payload, headers });
    const { error, error_description } = response.json();
    assert.equal(`${response.statusCode} ${error}`, expected);
    assert.equal(typeof error_description, 'string');
  });
}

test('parameters in the query of /token do not count', async () => {
  const code = await obtainCode(server, clientId);
  const query = new URLSearchParams({ client_id: clientId, code, code_verifier: VERIFIER });
  const response = await postForm(`${server.url}/token?${query}`, {
    grant_type: 'authorization_code',
  });
  assert.equal(await errorOf(response), '400 invalid_request');
});

test('a code serves once; presented again it ends the sign-in and is logged', async () => {
  const code = await obtainCode(server, clientId);
  const tokens = await tokensOf(await exchange(server, clientId, code));
  assert.equal((await callMcp(server, tokens.access_token)).status, 200);
  assert.equal(await errorOf(await exchange(server, clientId, code)), '400 invalid_grant');
  assert.equal((await callMcp(server, tokens.access_token)).status, 401);
  const renewal = await refresh(server, clientId, tokens.refresh_token);
  assert.equal(await errorOf(renewal), '400 invalid_grant');
  const { level, user, client_id, kind } = server.lines('token_reuse_detected').at(-1)!;
  assert.deepEqual(
    { level, user, client_id, kind },
    {
      level: 'warn',
      user: 'ada',
      client_id: clientId,
      kind: 'code',
    },
  );
});

test('of two exchanges of one code at once, at most one gets tokens, and they are dead', async () => {
  const code = await obtainCode(server, clientId);
  const answers = await Promise.all([
    exchange(server, clientId, code),
    exchange(server, clientId, code),
  ]);
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, 400]);
  const tokens = await tokensOf(answers.find(({ status }) => status === 200)!);
  assert.equal((await callMcp(server, tokens.access_token)).status, 401);
});

test('a code is dead after its lifetime', async () => {
  const code = await obtainCode(server, clientId);
  server.clock.ms += server.settings.codeTtlMs;
  assert.equal(await errorOf(await exchange(server, clientId, code)), '400 invalid_grant');
});

test('every refresh gives a new refresh token, and earlier access tokens live on', async () => {
  const { clientId, tokens } = await signedIn(server);
  const next = await tokensOf(await refresh(server, clientId, tokens.refresh_token));
  assert.notEqual(next.refresh_token, tokens.refresh_token);
  assert.equal((await callMcp(server, next.access_token)).status, 200);
  assert.equal((await callMcp(server, tokens.access_token)).status, 200);
});

test('a refresh token presented again after a minute ends the sign-in and is logged', async () => {
  const { clientId, tokens } = await signedIn(server);
  const next = await tokensOf(await refresh(server, clientId, tokens.refresh_token));
  server.clock.ms += 60_100;
  const stolen = await refresh(server, clientId, tokens.refresh_token);
  assert.equal(await errorOf(stolen), '400 invalid_grant');
  assert.equal((await callMcp(server, next.access_token)).status, 401);
  const afterwards = await refresh(server, clientId, next.refresh_token);
  assert.equal(await errorOf(afterwards), '400 invalid_grant');
  assert.equal(server.lines('token_reuse_detected').at(-1)?.kind, 'refresh_token');
});

test('within a minute of the rotation the predecessor gets the same refresh token, and is logged', async () => {
  const { clientId, tokens } = await signedIn(server);
  const winner = await tokensOf(await refresh(server, clientId, tokens.refresh_token));
  server.clock.ms += 59_900;
  const reuses = server.lines('token_reuse_detected').length;
  const loser = await tokensOf(await refresh(server, clientId, tokens.refresh_token));
  assert.equal(loser.refresh_token, winner.refresh_token);
  assert.notEqual(loser.access_token, winner.access_token);
  for (const { access_token } of [tokens, winner, loser]) {
    assert.equal((await callMcp(server, access_token)).status, 200);
  }
  const { grant, grace } = server.lines('token_issued').at(-1)!;
  assert.deepEqual({ grant, grace }, { grant: 'refresh_token', grace: true });
  assert.equal(server.lines('token_issued').at(-2)?.grace, undefined);
  assert.equal(server.lines('token_reuse_detected').length, reuses);
  await tokensOf(await refresh(server, clientId, loser.refresh_token));
});

test('the predecessor of the predecessor ends the sign-in, however soon it comes', async () => {
  const { clientId, tokens } = await signedIn(server);
  const second = await tokensOf(await refresh(server, clientId, tokens.refresh_token));
  const third = await tokensOf(await refresh(server, clientId, second.refresh_token));
  const late = await refresh(server, clientId, tokens.refresh_token);
  assert.equal(await errorOf(late), '400 invalid_grant');
  assert.equal((await callMcp(server, third.access_token)).status, 401);
});

test('the predecessor serves no other client: it ends the sign-in', async () => {
  const { clientId, tokens } = await signedIn(server);
  const next = await tokensOf(await refresh(server, clientId, tokens.refresh_token));
  const foreign = await refresh(server, await register(server), tokens.refresh_token);
  assert.equal(await errorOf(foreign), '400 invalid_grant');
  assert.equal((await callMcp(server, next.access_token)).status, 401);
});

test('a refresh token spent a hundred refreshes ago still ends the sign-in', async () => {
  const { clientId, tokens } = await signedIn(server);
  const size = await server.size();
  let latest = tokens;
  for (let count = 0; count < 100; count += 1) {
    latest = await tokensOf(await refresh(server, clientId, latest.refresh_token));
  }
  assert.equal(await server.size(), size + 1, 'one record of the grace');
  await refresh(server, clientId, tokens.refresh_token);
  assert.equal((await callMcp(server, latest.access_token)).status, 401);
});

test('what only looks like a refresh token ends nothing: made up, or of another kind', async () => {
  const { clientId, tokens } = await signedIn(server);
  const reuses = server.lines('token_reuse_detected').length;
  const madeUp = tokens.refresh_token.slice(0, 24) + 'A'.repeat(64);
  for (const text of [madeUp, tokens.access_token]) {
    assert.equal(await errorOf(await refresh(server, clientId, text)), '400 invalid_grant');
  }
  assert.equal(server.lines('token_reuse_detected').length, reuses);
  await tokensOf(await refresh(server, clientId, tokens.refresh_token));
});

test('of ten refreshes that race all get the same refresh token and an access token that works', async () => {
  const { clientId, tokens } = await signedIn(server);
  const reuses = server.lines('token_reuse_detected').length;
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => refresh(server, clientId, tokens.refresh_token)),
  );
  const granted = await Promise.all(answers.map(tokensOf));
  assert.equal(new Set(granted.map(({ refresh_token }) => refresh_token)).size, 1);
  assert.equal(new Set(granted.map(({ access_token }) => access_token)).size, 10);
  for (const { access_token } of granted) {
    assert.equal((await callMcp(server, access_token)).status, 200);
  }
  assert.equal(server.lines('token_reuse_detected').length, reuses);
});

const scopes: [string | undefined, string][] = [
  [undefined, 'mcp'],
  ['mcp', 'mcp'],
  ['mcp offline_access', 'mcp offline_access'],
  ['offline_access mcp', 'offline_access mcp'],
  [' offline_access', 'mcp offline_access'],
  ['openid read mcp mcp', 'mcp'],
  ['read write', 'mcp'],
];
for (const [scope, granted] of scopes) {
  test(`the scope ${scope} is granted as "${granted}", also by a refresh`, async () => {
    const url = authorizeUrl(server, clientId, { scope });
    const code = redirectOf(await logIn(server, url)).searchParams.get('code')!;
    const tokens = await tokensOf(await exchange(server, clientId, code));
    assert.equal(tokens.scope, granted);
    const next = await refresh(server, clientId, tokens.refresh_token, { scope: 'other' });
    assert.equal((await tokensOf(next)).scope, granted);
  });
}

test('a refresh token serves only its own client and resource, and a failed try costs nothing', async () => {
  const { clientId, tokens } = await signedIn(server);
  const other = await register(server);
  const foreign = await refresh(server, other, tokens.refresh_token);
  assert.equal(await errorOf(foreign), '400 invalid_grant');
  const resource = 'https://other.example/';
  const elsewhere = await refresh(server, clientId, tokens.refresh_token, { resource });
  assert.equal(await errorOf(elsewhere), '400 invalid_target');
  await tokensOf(await refresh(server, clientId, tokens.refresh_token));
});

test('an access token is neither a refresh token nor a code, nor the other way round', async () => {
  const one = await signedIn(server);
  assert.equal((await callMcp(server, one.tokens.refresh_token)).status, 401);
  const swapped = await refresh(server, one.clientId, one.tokens.access_token);
  assert.equal(await errorOf(swapped), '400 invalid_grant');
});

test('a reload changes the lifetime of the next token', async () => {
  server.settings.tokenTtlMs = 1_000;
  const { tokens } = await signedIn(server);
  server.settings.tokenTtlMs = 12 * 3_600_000;
  assert.equal(tokens.expires_in, 1);
  server.clock.ms += 999;
  assert.equal((await callMcp(server, tokens.access_token)).status, 200);
  server.clock.ms += 1;
  assert.equal((await callMcp(server, tokens.access_token)).status, 401);
});

test('removing a user kills codes, access and refresh tokens; adding the name again revives none', async () => {
  server.people.add('bob');
  const { clientId, tokens } = await signedIn(server, 'bob');
  const code = await obtainCode(server, clientId, { username: 'bob' });
  server.people.remove('bob');
  server.people.add('bob');
  assert.equal((await callMcp(server, tokens.access_token)).status, 401);
  const renewal = await refresh(server, clientId, tokens.refresh_token);
  assert.equal(await errorOf(renewal), '400 invalid_grant');
  assert.equal(await errorOf(await exchange(server, clientId, code)), '400 invalid_grant');
});
