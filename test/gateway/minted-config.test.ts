/** What a configuration may say of minted secrets and signatures, and what is wrong with the rest. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { parseConfig } from '../../src/gateway/config/read-config.ts';

const directory = mkdtempSync(join(tmpdir(), 'minted-config-'));
after(() => rmSync(directory, { recursive: true }));
writeFileSync(join(directory, 'token'), 'refresh-token-Kq7vRzP2mXw9');
mkdirSync(join(directory, 'folder'));

const pem = (key: { export(options: object): unknown }) =>
  String(key.export({ type: 'pkcs8', format: 'pem' }));
const RSA = pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
const SHORT_RSA = pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey);
const P256 = pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const P384 = pem(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey);
const ED25519 = pem(generateKeyPairSync('ed25519').privateKey);
const KEY = 'k'.repeat(32);

function problems(secret: object, inject: object = {}, env = {}): string[] {
  const config = {
    server: { public_url: 'https://gateway.test' },
    users: [
      {
        name: 'alice',
        password: 'a-long-password',
        secrets: { fixed: 'fixed-value-1', crm: secret },
        targets: [{ id: 't', description: 'd', base_url: 'https://api.example.com', inject }],
      },
    ],
  };
  const { problems: found } = parseConfig(JSON.stringify(config), 'c.yaml', { env });
  return [...found.errors, ...found.warnings].map(
    ({ key, message }) => `${key?.replace('users[0].', '')}: ${message}`,
  );
}

const oauth2 = (fields: object) => ({
  oauth2: {
    ...{ grant: 'client_credentials', token_url: 'https://login.example.com/token' },
    ...{ client_id: 'client', client_secret: 'client-secret-1', ...fields },
  },
});
const refresh = (fields: object) => oauth2({ grant: 'refresh_token', ...fields });
const jwt = (fields: object) => ({ jwt: { algorithm: 'HS256', key: KEY, ...fields } });
const app = (fields: object) => ({
  github_app: { app_id: 1, installation_id: '2', private_key: RSA, ...fields },
});

describe('accepted', () => {
  const rows: [what: string, secret: object][] = [
    ['client credentials', oauth2({ scope: 'a b', parameters: { audience: 'x' } })],
    [
      'a public client with a refresh token',
      refresh({ client_secret: undefined, refresh_token: `file:${directory}/token` }),
    ],
    [
      'a JWT bearer without a client',
      { oauth2: { grant: 'jwt_bearer', token_url: 'https://a.example/', ...jwt({}) } },
    ],
    ['RS256', jwt({ algorithm: 'RS256', key: RSA })],
    [
      'RS256 with the file of a service account',
      jwt({ algorithm: 'RS256', key: JSON.stringify({ private_key: RSA }) }),
    ],
    ['ES256', jwt({ algorithm: 'ES256', key: P256 })],
    ['EdDSA', jwt({ algorithm: 'EdDSA', key: ED25519 })],
    [
      'claims of every kind',
      jwt({ claims: { iss: 'me', aud: ['a', 'b'], level: 3, admin: false } }),
    ],
    ['a GitHub App', app({})],
  ];
  for (const [what, secret] of rows) {
    test(what, () => assert.deepEqual(problems(JSON.parse(JSON.stringify(secret))), []));
  }
});

const CRM = 'secrets.crm';
const refused: [what: string, secret: object, expected: string | RegExp][] = [
  ['no kind', {}, `${CRM}: needs exactly one of oauth2, jwt, github_app`],
  [
    'two kinds',
    { ...oauth2({}), ...jwt({}) },
    `${CRM}: needs exactly one of oauth2, jwt, github_app`,
  ],
  ['an unknown kind', { oauth: {} }, /unknown key \(did you mean "oauth2"\?\)/],
  [
    'an unknown grant',
    oauth2({ grant: 'password' }),
    /grant: "password" is not one of client_credentials, refresh_token, jwt_bearer/,
  ],
  ['no token URL', oauth2({ token_url: undefined }), `${CRM}.oauth2: token_url is missing`],
  [
    'a private token URL',
    oauth2({ token_url: 'https://10.0.0.1/' }),
    /token_url: leads to a private address; if you mean it, open its network/,
  ],
  [
    'a metadata token URL',
    oauth2({ token_url: 'http://169.254.169.254/latest' }),
    /token_url: leads to a metadata address/,
  ],
  [
    'credentials in the token URL',
    oauth2({ token_url: 'https://a:hunter2@b.example/' }),
    /\[REDACTED\]@b\.example\/" is not an absolute http or https URL/,
  ],
  [
    'plain http',
    oauth2({ token_url: 'http://login.example.com/' }),
    /is not https: the credentials are sent unencrypted/,
  ],
  [
    'no client secret',
    oauth2({ client_secret: undefined }),
    `${CRM}.oauth2: client_secret is missing`,
  ],
  [
    'a parameter of the grant',
    oauth2({ parameters: { grant_type: 'password' } }),
    /parameters\.grant_type: has a separate key, or is set by the gateway/,
  ],
  [
    'a refresh token that is no file',
    refresh({ refresh_token: 'the-token-itself' }),
    `${CRM}.oauth2.refresh_token: must be file: and a path, since providers rotate it`,
  ],
  [
    'a refresh token in a folder that is not there',
    refresh({ refresh_token: 'file:/nonexistent/token' }),
    /the folder of the file must be writable: there is no such file/,
  ],
  [
    'a refresh token that is a folder',
    refresh({ refresh_token: `file:${directory}/folder` }),
    /the file is not a regular file/,
  ],
  [
    'a refresh token that is not there yet',
    refresh({ refresh_token: `file:${directory}/none` }),
    /the file does not exist yet; make it with: gateway connect/,
  ],
  [
    'a jwt with client credentials',
    oauth2({ jwt: {} }),
    `${CRM}.oauth2.jwt: is only for the grant jwt_bearer`,
  ],
  ['no jwt with jwt_bearer', oauth2({ grant: 'jwt_bearer' }), `${CRM}.oauth2: jwt is missing`],
  ['no key', jwt({ key: undefined }), `${CRM}.jwt: key is missing`],
  [
    'a short key for HS256',
    jwt({ key: 'short' }),
    /key: must have at least 32 characters for HS256/,
  ],
  ['text for RS256', jwt({ algorithm: 'RS256' }), /key: is not an unencrypted private key in PEM/],
  [
    'a key of another type',
    jwt({ algorithm: 'RS256', key: P256 }),
    /key: is no key for RS256, which needs one of the type rsa/,
  ],
  [
    'a key of another curve',
    jwt({ algorithm: 'ES256', key: P384 }),
    /key: is no key for ES256, which needs the curve P-256/,
  ],
  [
    'a short RSA key',
    jwt({ algorithm: 'RS256', key: SHORT_RSA }),
    /key: is too short for RS256, which needs 2048 bits/,
  ],
  [
    'an algorithm without a signature',
    jwt({ algorithm: 'none' }),
    /algorithm: "none" is not one of RS256, ES256, EdDSA, HS256/,
  ],
  [
    'a claim that the gateway sets',
    jwt({ claims: { exp: 1 } }),
    /claims\.exp: is set by the gateway/,
  ],
  [
    'a life of seconds',
    jwt({ lifetime: '5s' }),
    /lifetime: "5s" is not a duration from "1m" to "24h"/,
  ],
  [
    'a GitHub App without its key',
    app({ private_key: undefined }),
    `${CRM}.github_app: private_key is missing`,
  ],
  [
    'an unset variable',
    oauth2({ client_secret: 'env:NONE' }),
    /client_secret: the environment variable NONE is not set or empty/,
  ],
];
describe('refused or warned of', () => {
  for (const [what, secret, expected] of refused) {
    test(what, () => {
      const found = problems(JSON.parse(JSON.stringify(secret)));
      assert.equal(found.length, 1, found.join('\n'));
      if (typeof expected === 'string') assert.equal(found[0], expected);
      else assert.match(found[0]!, expected);
      assert.ok(!found[0]!.includes('hunter2') && !found[0]!.includes('the-token-itself'));
    });
  }

  test('a part of a minted secret in a template', () => {
    const [problem] = problems(oauth2({}), { headers: { 'X-Key': '${crm.client_secret}' } });
    assert.match(problem!, /must be followed by the name of a secret and a closing brace/);
  });
});

const aws = (fields: object) => ({
  aws_sigv4: {
    ...{ access_key_id: '${fixed}', secret_access_key: '${crm}' },
    ...{ region: 'eu-central-1', service: 's3', ...fields },
  },
});
const hmac = (fields: object) => ({
  hmac: { key: '${fixed}', message: '{method}{body}', header: 'X-Signature', ...fields },
});
const SIGN = 'targets[0].inject.sign';
const signs: [
  what: string,
  sign: object,
  headers: object,
  expected: string | RegExp | undefined,
][] = [
  ['aws_sigv4', aws({}), {}, undefined],
  ['hmac', hmac({ message: '{timestamp}{path}?{query}', timestamp_header: 'X-T' }), {}, undefined],
  ['both', { ...aws({}), ...hmac({}) }, {}, `${SIGN}: needs one of aws_sigv4 and hmac, not both`],
  ['neither', {}, {}, `${SIGN}: needs aws_sigv4 or hmac`],
  ['no region', aws({ region: undefined }), {}, `${SIGN}.aws_sigv4: region is missing`],
  [
    'a region with a slash',
    aws({ region: 'eu/x' }),
    {},
    /region: "eu\/x" is not a name such as "eu-central-1" or "s3"/,
  ],
  [
    'an unknown secret',
    aws({ access_key_id: '${fixt}' }),
    {},
    /there is no secret for \$\{fixt\}; there are fixed, crm/,
  ],
  [
    'a header of the signature',
    aws({}),
    { 'X-Amz-Date': 'x' },
    'targets[0].inject.headers: the header x-amz-date is set by the signature',
  ],
  [
    'Authorization beside SigV4',
    aws({}),
    { Authorization: 'x' },
    /authorization is set by the signature/,
  ],
  [
    'an unknown field',
    hmac({ message: '{methods}' }),
    {},
    /message: braces must hold a part of the request: \{timestamp\}, \{method\}/,
  ],
  ['a lost brace', hmac({ message: 'method}' }), {}, /braces must hold a part of the request/],
  [
    'a timestamp that is not sent',
    hmac({ message: '{timestamp}' }),
    {},
    /timestamp_header is missing/,
  ],
  [
    'one header for both',
    hmac({ timestamp_header: 'x-signature' }),
    {},
    /timestamp_header: is the header of the signature/,
  ],
  [
    'a framing header',
    hmac({ header: 'Content-Length' }),
    {},
    /Content-Length is set by the gateway/,
  ],
  [
    'a weak algorithm',
    hmac({ algorithm: 'md5' }),
    {},
    /"md5" is not one of sha256, sha384, sha512, sha1/,
  ],
];
describe('sign', () => {
  for (const [what, sign, headers, expected] of signs) {
    test(what, () => {
      const found = problems(oauth2({}), JSON.parse(JSON.stringify({ sign, headers })));
      if (expected === undefined) assert.deepEqual(found, []);
      else if (typeof expected === 'string') assert.deepEqual(found, [expected]);
      else assert.match(found.join('\n'), expected);
    });
  }
});
