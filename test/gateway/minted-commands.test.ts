/** What the commands and tools say of minted secrets and signatures, and that they show none. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { runHere } from '../support/gateway/command-here.ts';
import { callTool } from '../support/gateway/gateway.ts';
import { PASSWORD_HASH, startSignedIn } from '../support/gateway/signed-in.ts';
import { startUpstream } from '../support/http/upstream.ts';

const CLIENT_SECRET = 'client-secret-Kq7vRzP2mXw9';
const TOKEN = 'minted-token-Vb5nM8qLx2Rt';
const file = () => join(directory, 'config.yaml');

const config = () => ({
  server: { public_url: 'https://gateway.test', allow_networks: ['127.0.0.0/8'] },
  users: [
    {
      name: 'alice',
      password: PASSWORD_HASH,
      secrets: {
        plain: 'plain-value-Ws3kPq9zTf1h',
        crm: {
          oauth2: {
            ...{ grant: 'client_credentials', token_url: `${upstream.url}/token` },
            ...{ client_id: 'client', client_secret: CLIENT_SECRET },
          },
        },
        own: { jwt: { algorithm: 'HS256', key: 'k'.repeat(40), claims: { iss: 'me' } } },
        calendar: {
          oauth2: {
            ...{ grant: 'refresh_token', token_url: `${upstream.url}/token` },
            ...{ client_id: 'client', refresh_token: `file:${join(directory, 'none.token')}` },
          },
        },
      },
      targets: [
        {
          ...{ id: 'api', description: `the token ${TOKEN}`, base_url: upstream.url },
          inject: {
            headers: { Authorization: 'Bearer ${crm}', 'X-Own': '${own}' },
            sign: { hmac: { key: '${plain}', message: '{body}', header: 'X-Signature' } },
          },
        },
      ],
    },
  ],
});

const directory = mkdtempSync(join(tmpdir(), 'minted-'));
const upstream = await startUpstream();
upstream.routes.set('/token', (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ access_token: TOKEN, token_type: 'Bearer', expires_in: 3600 }));
});
writeFileSync(file(), JSON.stringify(config()));
after(async () => {
  await upstream.close();
  rmSync(directory, { recursive: true });
});
beforeEach(() => {
  upstream.received.length = 0;
});

const asked = () => upstream.received.map(({ url }) => url);

test('validate says how each token is obtained, asks nobody, and shows nothing of it', async () => {
  const { code, stdout, stderr } = await runHere(['validate', file()]);
  assert.equal(code, 0, stderr);
  assert.ok(
    stdout.includes(`  secrets plain, crm, own, calendar
  secret crm: oauth2 client_credentials from ${upstream.url}/token
  secret own: jwt, signed here
  secret calendar: oauth2 refresh_token from ${upstream.url}/token
  target api: GET`),
    stdout,
  );
  assert.match(stderr, /secrets\.calendar\.oauth2\.refresh_token: .*gateway connect/);
  assert.ok(!`${stdout}${stderr}`.includes(CLIENT_SECRET));
  assert.deepEqual(asked(), []);
});

test('try requests no token', async () => {
  const { code, stdout } = await runHere(['try', `${upstream.url}/x`, '--config', file()]);
  assert.equal(code, 0);
  assert.match(stdout, /injection {3}ok .*signature hmac \(from crm, own, plain\)\n/);
  assert.match(stdout, /\ntoken of crm \(oauth2 client_credentials\): was not requested\n/);
  assert.match(stdout, /\nwould be sent \(dry run\)\n$/);
  assert.deepEqual(asked(), []);
});

test('try --send sends, and shows how long each token is good', async () => {
  const words = ['try', `${upstream.url}/x`, '--send', '--config', file()];
  const { code, stdout } = await runHere(words);
  assert.equal(code, 0, stdout);
  assert.match(
    stdout,
    /\ntoken of crm \(oauth2 client_credentials\): \[REDACTED\], good for another 3(600|59\d) s\n/,
  );
  assert.match(stdout, /\ntoken of own \(jwt\): \[REDACTED\], good for another 5(70|6\d) s\n/);
  assert.match(stdout, /\nwas sent; the answer has the status 200\n$/);
  assert.deepEqual(asked(), ['/token', '/x']);
  assert.ok(!stdout.includes(TOKEN));
});

test('try --send with a provider that refuses shows at which step and why', async () => {
  const answer = upstream.routes.get('/token')!;
  upstream.routes.set('/token', (_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(`{"error":"invalid_client","error_description":"not ${CLIENT_SECRET}"}`);
  });
  const words = ['try', `${upstream.url}/x`, '--send', '--config', file()];
  const { code, stdout } = await runHere(words);
  upstream.routes.set('/token', answer);
  assert.equal(code, 1);
  assert.match(
    stdout,
    /sending {5}refused {2}credential_unavailable: .* secret crm \(invalid_client\)/,
  );
  assert.ok(!stdout.includes(CLIENT_SECRET));
});

test('list_targets shows neither how tokens are made nor one that a description holds', async () => {
  const { server, users } = config();
  const { allow_networks } = server;
  const signedIn = await startSignedIn({ server: { allow_networks }, users });
  await signedIn.request('alice', { url: `${upstream.url}/x` });
  const { raw } = await callTool(signedIn.gateway.url, signedIn.token('alice'), 'list_targets', {});
  assert.ok(raw.includes('the token [REDACTED]'), raw);
  for (const word of ['crm', 'hmac', 'X-Signature', 'oauth2', TOKEN, 'token_url']) {
    assert.ok(!raw.includes(word), word);
  }
  await signedIn.gateway.stop();
});
