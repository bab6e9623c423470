/**
 * Minted tokens, before and after they are replaced, refresh tokens, assertions, keys and client
 * secrets: reflected in every form by the upstream, and by the provider in its errors. Afterwards
 * everything the gateway answered and wrote, at the level debug, is searched.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { callTool, signIn, startGateway } from '../support/gateway/gateway.ts';
import { startRecordingProxy } from '../support/gateway/recording-proxy.ts';
import { AWKWARD, formsWritten, TraceFinder, traces } from '../support/gateway/secret-forms.ts';
import { PASSWORD, PASSWORD_HASH } from '../support/gateway/signed-in.ts';
import { type Received, startUpstream } from '../support/http/upstream.ts';
import { isLongRun } from '../support/property-runs.ts';

/** Whatever a token may consist of: visible ASCII and spaces. */
const TOKENS = Object.entries(AWKWARD).filter(([, value]) => /^[\x20-\x7e]{8,}$/.test(value));
const CLIENT_SECRET = 'client-secret "Kq7v+RzP2/mXw9"';
/** RSA in the long run: a key that is seven times as long takes as much longer to be searched for. */
const PEM = String(
  (isLongRun
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  ).privateKey.export({ type: 'pkcs8', format: 'pem' }),
);
const JWT = { algorithm: isLongRun ? 'RS256' : 'ES256', key: PEM, claims: { iss: 'me' } };

let accessToken: string;

/** What must not come through, from the moment it exists. */
const hidden = new Set<string>([CLIENT_SECRET, PEM]);
const issued = new Map<string, number>();

function issue(name: string): string {
  const count = (issued.get(name) ?? 0) + 1;
  issued.set(name, count);
  const token = `${AWKWARD[name] ?? `token of ${name} "+/Vb5nM8`}${count === 1 ? '' : `<${count}>`}`;
  hidden.add(token);
  return token;
}

function answerToken({ url, body }: Received, response: ServerResponse): void {
  const name = url.slice('/token/'.length);
  const parameters = new URLSearchParams(body);
  for (const key of ['assertion', 'refresh_token']) {
    const value = parameters.get(key);
    if (value !== null) hidden.add(value);
  }
  const isFailing = name === 'failing' || name === 'failing_assertion';
  response.writeHead(isFailing ? 400 : 200, { 'content-type': 'application/json' });
  if (isFailing) {
    // At most 64 KiB, which is all that is read.
    const values = [CLIENT_SECRET, ...parameters.getAll('assertion')];
    const forms = values.flatMap((value) => formsWritten(value).map(([, form]) => form));
    const error_description = Buffer.concat(forms).toString('latin1').slice(0, 40_000);
    response.end(JSON.stringify({ error: values.join(' '), error_description }));
    return;
  }
  const rotated = name === 'rotating' ? { refresh_token: issue('refresh') } : {};
  const access_token = issue(name);
  response.end(
    JSON.stringify({ access_token, token_type: 'Bearer', expires_in: 3600, ...rotated }),
  );
}

/** The values in every form. */
function document(values: Iterable<string>): Buffer {
  const line = Buffer.from(' .\n');
  return Buffer.concat(
    [...values].flatMap((value) => formsWritten(value).flatMap(([, form]) => [form, line])),
  );
}

/** What each target has sent so far: its token, and the ones before it. */
const sent = new Map<string, Set<string>>();

/**
 * Answers with what the target has sent, or with everything that is hidden; with 401 when it is
 * asked to, once, so that the token is replaced.
 */
function reflect({ url, headers }: Received, response: ServerResponse): void {
  const [, name = '', path] = url.split('/');
  const key = String(headers['x-key']);
  hidden.add(key);
  sent.set(name, new Set([...(sent.get(name) ?? [CLIENT_SECRET]), key]));
  response.statusCode = url.endsWith('/renew') && !renewed.has(url) ? 401 : 200;
  renewed.add(url);
  response.setHeader(
    'x-reflected',
    [...hidden].filter((value) => /^[\x20-\x7e]+$/.test(value)),
  );
  response.end(document(path === 'everything' ? hidden : sent.get(name)!));
}
const renewed = new Set<string>();

const oauth2 = (name: string, rest: object = {}) => ({
  oauth2: {
    ...{ grant: 'client_credentials', token_url: `${provider.url}/token/${name}` },
    ...{ client_id: 'client', client_secret: CLIENT_SECRET, ...rest },
  },
});

const directory = mkdtempSync(join(tmpdir(), 'minted-leaks-'));
writeFileSync(join(directory, 'token'), 'first refresh token');
const provider = await startUpstream(answerToken);
const upstream = await startUpstream(reflect);
const secrets = {
  ...Object.fromEntries(TOKENS.map(([name]) => [name, oauth2(name)])),
  rotating: oauth2('rotating', {
    ...{ grant: 'refresh_token', refresh_token: `file:${join(directory, 'token')}` },
  }),
  assertion: oauth2('assertion', { grant: 'jwt_bearer', jwt: JWT }),
  failing: oauth2('failing'),
  failing_assertion: oauth2('failing_assertion', { grant: 'jwt_bearer', jwt: JWT }),
  signed: { jwt: JWT },
};
const targets = Object.keys(secrets).map((name) => ({
  ...{ id: name, description: 'd', base_url: upstream.url, paths: [`/${name}/*`] },
  inject: { headers: { 'X-Key': `\${${name}}` } },
}));
const gateway = await startGateway({
  config: JSON.stringify({
    server: { allow_networks: ['127.0.0.0/8'] },
    users: [{ name: 'alice', password: PASSWORD_HASH, secrets, targets }],
  }),
  env: { GATEWAY_LOG_LEVEL: 'debug' },
});
const proxy = await startRecordingProxy(gateway.port);
({ accessToken } = await signIn(proxy.url, 'alice', PASSWORD));
after(async () => {
  await proxy?.close();
  await gateway?.stop();
  await upstream.close();
  await provider.close();
  rmSync(directory, { recursive: true });
});

async function shownOf(name: string, path: string): Promise<{ isError: boolean; shown: Buffer }> {
  const url = `${upstream.url}/${name}/${path}`;
  const { isError, value } = await callTool(proxy.url, accessToken, 'http_request', { url });
  const { body = '', body_encoding: encoding, truncated = false, ...rest } = value;
  assert.equal(truncated, false, 'all of it is searched');
  const bytes = Buffer.from(body as string, encoding === 'base64' ? 'base64' : 'utf8');
  return { isError, shown: Buffer.concat([bytes, Buffer.from(JSON.stringify(rest))]) };
}

const finderOf = () => new TraceFinder([...hidden].flatMap(traces));

describe('does not come through', () => {
  for (const name of [...TOKENS.map(([token]) => token), 'rotating', 'assertion', 'signed']) {
    test(`${name}: the token, and the one that replaces it`, async () => {
      for (const path of ['first', 'renew', 'last']) {
        const { isError, shown } = await shownOf(name, path);
        assert.equal(isError, false, shown.toString());
        const found = finderOf().find(shown);
        assert.equal(found, undefined);
      }
      const keys = upstream.received.map(({ headers }) => headers['x-key']);
      assert.equal(new Set(keys.slice(-4)).size, 2, 'it was replaced');
    });
  }

  test('everything that was hidden until then', async () => {
    const { isError, shown } = await shownOf('rotating', 'everything');
    assert.equal(isError, false);
    assert.equal(finderOf().find(shown), undefined);
  });

  for (const name of ['failing', 'failing_assertion']) {
    test(`${name}: what a provider writes into its error`, async () => {
      const { isError, shown } = await shownOf(name, 'first');
      assert.ok(isError);
      assert.match(shown.toString(), /credential_unavailable.*unreadable_error/);
      assert.equal(finderOf().find(shown), undefined);
    });
  }
});

test('the search finds what it is meant to find', () => {
  const finder = finderOf();
  assert.ok(hidden.size >= TOKENS.length * 2 + 6);
  assert.ok(hidden.has(readFileSync(join(directory, 'token'), 'utf8').trim()));
  for (const value of hidden) assert.ok(finder.find(Buffer.from(`x ${value} y`)), value);
});

test('and no answer and no line of the log holds a form of any of them', () => {
  const finder = finderOf();
  for (const bytes of proxy.answers()) assert.equal(finder.find(bytes), undefined);
  assert.equal(finder.find(Buffer.from(gateway.stdout())), undefined);
  assert.equal(gateway.stderr(), '');
  assert.ok(gateway.stdout().includes('token_requested'));
});
