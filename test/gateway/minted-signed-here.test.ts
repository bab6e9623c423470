/** Tokens that the gateway signs: verified by another implementation, and exchanged by a GitHub App. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { createPublicKey, createSecretKey, generateKeyPairSync, verify } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { after, beforeEach, describe, test } from 'node:test';
import { jwtVerify } from 'jose';
import { type Pipeline, startPipeline } from '../support/gateway/pipeline-parts.ts';
import { type Received, startUpstream } from '../support/http/upstream.ts';

const pairs = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
};
const HMAC_KEY = 'an-hmac-key-of-forty-characters-in-length';
const pkcs8 = (name: keyof typeof pairs) =>
  String(pairs[name].privateKey.export({ type: 'pkcs8', format: 'pem' }));
const pkcs1 = String(pairs.RS256.privateKey.export({ type: 'pkcs1', format: 'pem' }));

let pipeline: Pipeline;
let now: number;
const upstream = await startUpstream();
after(() => upstream.close());
beforeEach(() => {
  upstream.received.length = 0;
  upstream.answer = (_request, response) => response.end('ok');
  now = 0;
});

function start(secret: object): Pipeline {
  pipeline = startPipeline(
    {
      server: { allow_networks: ['127.0.0.0/8'] },
      users: [
        {
          name: 'alice',
          secrets: { token: secret },
          targets: [
            {
              ...{ id: 'api', description: 'd', base_url: upstream.url, paths: ['/x'] },
              inject: { headers: { Authorization: 'Bearer ${token}' } },
            },
          ],
        },
      ],
    },
    { now: () => now },
  );
  return pipeline;
}

async function call(): Promise<Record<string, unknown>> {
  return { ...(await pipeline.request('alice', { url: `${upstream.url}/x` })) };
}
const sent = () =>
  upstream.received
    .filter(({ url }) => url === '/x')
    .map(({ headers }) => String(headers.authorization).slice(7));

describe('jwt', () => {
  const keys = {
    ...{ RS256: pkcs8('RS256'), ES256: pkcs8('ES256'), EdDSA: pkcs8('EdDSA'), HS256: HMAC_KEY },
  };
  for (const [algorithm, key] of Object.entries(keys)) {
    test(`${algorithm}: verifies, with the claims of the operator and ours`, async () => {
      const claims = { iss: 'me', sub: 'me', aud: 'api', roles: ['a', 'b'] };
      start({ jwt: { algorithm, key, key_id: 'k1', lifetime: '5m', claims } });
      await call();
      const verifier =
        algorithm === 'HS256'
          ? createSecretKey(Buffer.from(HMAC_KEY))
          : pairs[algorithm as keyof typeof pairs].publicKey;
      const { payload, protectedHeader } = await jwtVerify(sent()[0]!, verifier, {
        ...{ issuer: 'me', subject: 'me', audience: 'api', algorithms: [algorithm], typ: 'JWT' },
      });
      assert.deepEqual(protectedHeader, { alg: algorithm, typ: 'JWT', kid: 'k1' });
      const { iat, nbf, exp, jti, ...others } = payload;
      assert.deepEqual(others, claims);
      assert.deepEqual([nbf, exp! - iat!], [iat, 300]);
      const skewS = Date.now() / 1_000 - iat!;
      assert.ok(skewS >= 30 && skewS < 90, `${skewS}`);
      assert.match(jti!, /^[\da-f-]{36}$/);
    });
  }

  test('is kept, and signed anew before it ends, without a token request', async () => {
    start({ jwt: { algorithm: 'HS256', key: HMAC_KEY, lifetime: '10m' } });
    await call();
    now = 569_000 * 0.8;
    await call();
    now = 570_000;
    await call();
    const [first, second, third] = sent();
    assert.equal(first, second);
    assert.notEqual(third, first);
    assert.deepEqual(
      pipeline.lines().filter(({ event }) => event === 'token_requested'),
      [],
    );
  });
});

describe('github_app', () => {
  const TOKEN = 'ghs_16C7e42F292c6912E7710c838347Ae178B4a';
  const secret = () => ({
    github_app: {
      ...{ app_id: 123, installation_id: 456, private_key: pkcs1 },
      api_url: `${upstream.url}/api/v3/`,
    },
  });
  const expiring = (ms: number) => new Date(Date.now() + ms).toISOString().replace(/\.\d+/, '');
  const installation = (body: object | string, status = 201) => {
    upstream.routes.set(
      '/api/v3/app/installations/456/access_tokens',
      (_request: Received, response: ServerResponse) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      },
    );
  };
  const exchanges = () => upstream.received.filter(({ url }) => url !== '/x');

  test('exchanges a JWT of the app for the token of the installation', async () => {
    installation({ token: TOKEN, expires_at: expiring(3_600_000), permissions: {} });
    start(secret());
    assert.equal((await call()).status, 200);
    assert.deepEqual(sent(), [TOKEN]);
    const [{ method, headers }] = exchanges() as [Received];
    assert.equal(method, 'POST');
    assert.equal(headers.accept, 'application/vnd.github+json');
    const [header, payload, signature] = String(headers.authorization).slice(7).split('.');
    const isValid = verify(
      'RSA-SHA256',
      Buffer.from(`${header}.${payload}`),
      createPublicKey(pkcs1),
      Buffer.from(signature!, 'base64url'),
    );
    assert.ok(isValid);
    const { iss, iat, exp } = JSON.parse(Buffer.from(payload!, 'base64url').toString());
    assert.equal(iss, '123');
    assert.ok(exp - iat <= 600, 'GitHub refuses a longer life');
    const [line] = pipeline.lines().filter(({ event }) => event === 'token_requested');
    assert.equal(line!.status, 201);
    assert.ok(Math.abs((line!.lifetime_s as number) - 3_600) <= 30);
  });

  test('and again when that ends', async () => {
    installation({ token: TOKEN, expires_at: expiring(3_600_000) });
    start(secret());
    await call();
    installation({ token: `${TOKEN}2`, expires_at: expiring(3_600_000) });
    now = 3_600_000;
    await call();
    assert.deepEqual(sent(), [TOKEN, `${TOKEN}2`]);
  });

  const answers: [what: string, body: object | string, status: number, code: string][] = [
    ['an unknown installation', { message: `Not Found ${TOKEN}` }, 404, 'status_404'],
    ['a refused key', { message: 'A JSON web token could not be decoded' }, 401, 'status_401'],
    ['no token', { expires_at: expiring(1) }, 201, 'invalid_response'],
    ['no JSON', '<html>', 201, 'invalid_response'],
    ['null', 'null', 201, 'invalid_response'],
  ];
  for (const [what, body, status, code] of answers) {
    test(`${what}: refused as ${code}`, async () => {
      installation(body, status);
      start(secret());
      const { error, message } = await call();
      assert.equal(error, 'credential_unavailable');
      assert.ok(String(message).includes(`(${code})`), String(message));
    });
  }
});
