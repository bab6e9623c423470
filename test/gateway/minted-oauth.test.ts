/** Tokens of a real OAuth provider: each grant, rotation, and what a reload does to them. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { exportPKCS8, generateKeyPair } from 'jose';
import { linesOf } from '../support/gateway/gateway.ts';
import { CLIENT, RESOURCE, startOAuthProvider } from '../support/gateway/oauth-provider.ts';
import { PASSWORD_HASH, startSignedIn } from '../support/gateway/signed-in.ts';
import { startUpstream } from '../support/http/upstream.ts';

const tokenFile = () => join(directory, 'calendar.token');

const client = () => ({
  token_url: `${provider.url}/token`,
  client_id: CLIENT.id,
  client_secret: CLIENT.secret,
});
const secrets = (scope = 'read') => ({
  opaque: { oauth2: { grant: 'client_credentials', ...client() } },
  resource: {
    oauth2: {
      ...{ grant: 'client_credentials', ...client(), client_auth: 'basic', scope },
      parameters: { resource: RESOURCE },
    },
  },
  calendar: {
    oauth2: { grant: 'refresh_token', ...client(), refresh_token: `file:${tokenFile()}` },
  },
  account: {
    oauth2: {
      grant: 'jwt_bearer',
      ...client(),
      jwt: { algorithm: 'RS256', key: `file:${join(directory, 'key.pem')}`, claims: { iss: 'me' } },
    },
  },
});
type Names = keyof ReturnType<typeof secrets>;
const NAMES: readonly Names[] = ['opaque', 'resource', 'calendar', 'account'];

const config = (scope?: string) => ({
  server: { allow_networks: ['127.0.0.0/8'] },
  users: [
    {
      name: 'alice',
      password: PASSWORD_HASH,
      secrets: secrets(scope),
      targets: NAMES.map((name) => ({
        ...{ id: name, description: 'd', base_url: upstream.url, paths: [`/${name}/**`] },
        inject: { headers: { Authorization: `Bearer \${${name}}` } },
      })),
    },
  ],
});

const directory = mkdtempSync(join(tmpdir(), 'minted-'));
const pair = await generateKeyPair('RS256', { extractable: true });
const privateKey = await exportPKCS8(pair.privateKey);
writeFileSync(join(directory, 'key.pem'), privateKey);
const provider = await startOAuthProvider({ assertionKey: pair.publicKey });
const upstream = await startUpstream();
writeFileSync(tokenFile(), `${await provider.refreshToken()}\n`, { mode: 0o644 });
const signedIn = await startSignedIn(config(), { GATEWAY_LOG_LEVEL: 'debug' });
after(async () => {
  await signedIn?.gateway.stop();
  await upstream.close();
  await provider.close();
  rmSync(directory, { recursive: true });
});

const call = (name: string) => signedIn.request('alice', { url: `${upstream.url}/${name}/x` });
const lastToken = () => String(upstream.received.at(-1)!.headers.authorization).slice(7);

describe('the provider accepts what the gateway sends', () => {
  for (const name of NAMES) {
    test(name, async () => {
      const { value, audit } = await call(name);
      assert.equal(value.status, 200, JSON.stringify(value));
      assert.deepEqual(audit.injected, [name]);
      const token = lastToken();
      assert.ok(
        name === 'resource' ? token.split('.').length === 3 : await provider.accepts(token),
      );
      assert.ok(!JSON.stringify(value).includes(token), 'the echo of the token is redacted');
      assert.equal(audit.redacted, 2, 'from the headers and the raw headers of the echo');
    });
  }
});

test('a rotated refresh token is written for its owner alone, and the next refresh uses it', async () => {
  const first = readFileSync(tokenFile(), 'utf8');
  assert.equal(statSync(tokenFile()).mode & 0o777, 0o600);
  await call('calendar');
  rejectOnce(lastToken());
  assert.equal((await call('calendar')).value.status, 200);
  assert.notEqual(readFileSync(tokenFile(), 'utf8'), first);
  assert.ok(await provider.accepts(lastToken()));
});

test('a refresh token that somebody else has spent and replaced in the file is no failure', async () => {
  writeFileSync(tokenFile(), await provider.refreshToken());
  rejectOnce(lastToken());
  assert.equal((await call('calendar')).value.status, 200);
});

test('without a usable refresh token the refusal says so, and a new file is used at once after the backoff', async () => {
  await call('calendar');
  writeFileSync(tokenFile(), 'never-issued-Vb5nM8qLx2Rt');
  rejectOnce(lastToken());
  const { value } = await call('calendar');
  assert.deepEqual([value.error, value.status], ['credential_unavailable', 502]);
  assert.match(String(value.message), /secret calendar \(invalid_grant\)/);
  writeFileSync(tokenFile(), await provider.refreshToken());
  const outcomes = async () => (await call('calendar')).value.status;
  while ((await outcomes()) !== 200) await new Promise((resolve) => setTimeout(resolve, 100));
});

describe('a reload', () => {
  test('keeps the tokens of secrets whose definition is unchanged, and no others', async () => {
    const used = async () => {
      const tokens = [];
      for (const name of NAMES) {
        await call(name);
        tokens.push(lastToken());
      }
      return tokens;
    };
    const before = await used();
    await reload(config('openid'));
    const after = await used();
    assert.deepEqual(
      NAMES.filter((_, index) => before[index] !== after[index]),
      ['resource'],
    );
  });

  test('of a secret that is gone, the token is still redacted', async () => {
    await call('opaque');
    const token = lastToken();
    const [user] = config().users;
    const { opaque: _gone, ...others } = secrets();
    const targets = user!.targets.filter(({ id }) => id !== 'opaque');
    await reload({ ...config(), users: [{ ...user, secrets: others, targets }] });
    upstream.answer = (_request, response) => response.end(`the token was ${token}`);
    const { value } = await call('account');
    assert.equal(value.body, 'the token was [REDACTED]');
  });
});

/** The upstream rejects this token, and no other. */
function rejectOnce(token: string): void {
  upstream.answer = (request, response) => {
    response.statusCode = request.headers.authorization === `Bearer ${token}` ? 401 : 200;
    response.end();
  };
}

async function reload(next: object): Promise<void> {
  const { gateway } = signedIn;
  const before = gateway.lines().filter(({ event }) => event === 'config_reloaded').length;
  gateway.writeConfig(JSON.stringify(next));
  gateway.signal('SIGHUP');
  await linesOf(gateway, ['config_reloaded'], before + 1);
}

test('nothing that was minted, spent or signed with is in any line of the log', () => {
  const written = `${signedIn.gateway.stdout()}${signedIn.gateway.stderr()}`;
  const used = upstream.received.map(({ headers }) => String(headers.authorization).slice(7));
  const hidden = [...used, readFileSync(tokenFile(), 'utf8').trim(), CLIENT.secret];
  for (const value of hidden) assert.ok(!written.includes(value), value.slice(0, 8));
  assert.ok(written.includes('token_requested'));
});
