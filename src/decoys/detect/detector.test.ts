import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from '../../core/net/address.ts';
import { Secret } from '../../core/secrets/secret.ts';
import { DAY_MS } from '../../core/time.ts';
import { Honeytokens } from '../tokens/honeytoken.ts';
import { Detector, maskTokens } from './detector.ts';

const DAY = 20_700;
const tokens = new Honeytokens({
  key: new Secret('decoys key', 'a key of the tests alone'),
  site: 'gateway',
});
const detector = new Detector(tokens, () => DAY * DAY_MS);
const thief = parseAddress('203.0.113.7')!;
const LONG = tokens.issue('configToken', thief, DAY);
const BARE = tokens.seal('configDatabase', thief, DAY);
const SHORT = tokens.issueAccessKeyId(thief);
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

const requests: readonly [
  what: string,
  url: string,
  header: [string, string] | [],
  where: string,
][] = [
  ['a bearer token', '/', ['Authorization', `Bearer ${LONG}`], 'header authorization'],
  ['a separate header', '/', ['X-Api-Key', LONG], 'header x-api-key'],
  ['a header for GitLab', '/', ['PRIVATE-TOKEN', LONG], 'header private-token'],
  ['a cookie', '/', ['Cookie', `a=b; session=${LONG}; c=d`], 'cookie'],
  ['the URL', `/x?token=${LONG}`, [], 'url'],
  ['the path', `/x/${LONG}/y`, [], 'url'],
  ['the URL, percent-encoded', `/x?token=%68p%5Flive%5F${LONG.slice(8)}`, [], 'url'],
  ['the URL, beside a stray %', `/x?a=100%&t=hp_live%5F${LONG.slice(8)}`, [], 'url'],
  ['the URL, beside bytes of no text', `/%ff%C0?t=hp%5flive%5F${LONG.slice(8)}`, [], 'url'],
  ['the password of Basic', '/', ['Authorization', basic(`user:${LONG}`)], 'basic'],
  ['the user of Basic', '/', ['authorization', basic(`${LONG}:`)], 'basic'],
  ['a database password in Basic', '/', ['Authorization', basic(`app:${BARE}`)], 'basic'],
  [
    'a scheme nobody knows, encoded as for Basic',
    '/',
    ['Authorization', basic(`app:${LONG}`).replace('Basic', 'X-Token')],
    'header authorization',
  ],
  [
    'a bearer token, encoded as for Basic',
    '/',
    ['Proxy-Authorization', basic(LONG).replace('Basic', 'bearer')],
    'header proxy-authorization',
  ],
  ['Basic behind a tab', '/', ['Authorization', basic(`u:${BARE}`).replace(' ', '\t')], 'basic'],
  ['a session id', '/', ['Mcp-Session-Id', BARE], 'header mcp-session-id'],
  ['a session id in the URL', `/mcp?sessionId=${BARE}`, [], 'url'],
  [
    'a signature of AWS',
    '/',
    ['Authorization', `AWS4-HMAC-SHA256 Credential=${SHORT}/20261115/us-east-1/s3/aws4_request`],
    'header authorization',
  ],
  [
    'a percent-encoded header',
    '/',
    ['X-Dsn', `postgresql%3A%2F%2Fapp%3A${BARE}%40db`],
    'header x-dsn',
  ],
  ['the URL, encoded twice', `/x?dsn=postgresql%253a%252F%252Fapp%253a${BARE}%2540db`, [], 'url'],
  ['the URL, encoded three times', `/x?dsn=app%25253A${BARE}%252540db`, [], 'url'],
  ['a presigned URL of AWS', `/b?X-Amz-Credential=${SHORT}%2F20261115%2Fus-east-1`, [], 'url'],
];

for (const [what, url, header, where] of requests) {
  test(`a honeytoken in ${what} is seen, once`, () => {
    const sightings = detector.inRequest({ url, rawHeaders: ['Host', 'x', ...header] });
    assert.deepEqual(
      sightings.map((sighting) => [sighting.where, sighting.opened?.address]),
      [[where, '203.0.113.7']],
    );
    assert.match(sightings[0]!.hash, /^[0-9a-f]{64}$/);
    assert.ok(!JSON.stringify(sightings).includes(LONG.slice(8)));
  });
}

function nested(levels: number, value: unknown): unknown {
  return levels === 0 ? value : { a: nested(levels - 1, value) };
}

const bodies: readonly [what: string, body: unknown][] = [
  ['text', `{"arguments":{"password":"${LONG}"}}`],
  ['bytes', Buffer.from(`password=${BARE}`)],
  ['an object', { a: [{ b: { c: `postgres://u:${BARE}@h/db` } }] }],
  ['a form', new URLSearchParams({ grant_type: 'refresh_token', refresh_token: LONG })],
  ['an object with it as a key', { [LONG]: 1 }],
  ['text with it after an escape of JSON', `{"note":"password:\\n${BARE}\\n"}`],
  ['text with it after an escaped character', `{"note":"\\u003A${BARE}"}`],
  ['a form as it was sent', `dsn=postgresql%3A%2F%2Fapp%3A${BARE}%40db`],
  ['an object of thirty levels', nested(30, LONG)],
  ['text of 64 KiB', `${' '.repeat(64 * 1024 - LONG.length)}${LONG}`],
];
for (const [what, body] of bodies) {
  test(`a honeytoken in a body that is ${what} is seen`, () => {
    assert.deepEqual(
      detector.inBody(body).map(({ where, opened }) => [where, opened?.address]),
      [['body', '203.0.113.7']],
    );
  });
}

test('a body is searched no further than 64 KiB', () => {
  assert.deepEqual(detector.inBody(`${' '.repeat(64 * 1024)}${LONG}`), []);
  assert.deepEqual(detector.inBody({ a: ' '.repeat(64 * 1024), b: LONG }), []);
});

test('an api_key is seen with its id and names nobody', () => {
  const [sighting] = detector.inRequest({ url: '/', rawHeaders: ['X-Key', 'sk_live_honeypot42'] });
  assert.deepEqual([sighting?.apiKeyId, sighting?.opened], ['42', undefined]);
});

test('of many api_keys in a request one is told, and they hide no other honeytoken', () => {
  const keys = Array.from({ length: 100 }, (_, id) => `sk_live_honeypot${id}`).join(' ');
  const rawHeaders = ['X-Keys', keys, 'Authorization', `Bearer ${LONG}`];
  const sightings = detector.inRequest({ url: '/', rawHeaders });
  assert.deepEqual(
    sightings.map(({ where, apiKeyId, opened }) => [where, apiKeyId ?? opened?.address]),
    [
      ['header x-keys', '0'],
      ['header authorization', '203.0.113.7'],
    ],
  );
});

test('what only looks like a honeytoken is nothing', () => {
  for (const text of [
    `hp_live_${'a'.repeat(32)}`,
    'AKIAIOSFODNN7EXAMPLE',
    'sk_live_honeypot',
    'sk_live_51HqJYz2eZvKYlo2C',
    'b'.repeat(32),
    LONG.toUpperCase(),
    `x${BARE}y`,
  ]) {
    assert.deepEqual(detector.inRequest({ url: '/', rawHeaders: ['X-Key', text] }), [], text);
  }
});

test('no request makes it compute without bound', () => {
  let opened = 0;
  const counting = new Detector(
    {
      open: () => {
        opened++;
      },
    } as unknown as Honeytokens,
    () => 0,
  );
  const many = Array.from({ length: 2_000 }, (_, index) =>
    index.toString(2).replaceAll('0', 'a').replaceAll('1', 'b').padStart(32, 'c'),
  );
  counting.inRequest({ url: '/', rawHeaders: ['X-Key', many.join(' ')] });
  assert.equal(opened, 32);
});

test('a text for the log holds no token, however it is written', () => {
  for (const text of [
    `/x/${LONG}`,
    `/x?id=${BARE}&y=1`,
    `key ${SHORT}`,
    `/x?a=100%&t=hp_live%5F${LONG.slice(8)}`,
    `/x?dsn=app%3A${BARE}%40db`,
    `/x?dsn=app%253A${BARE}%2540db`,
    `note\\n${BARE}`,
    `/x?t=%68p_live_%${LONG.charCodeAt(8).toString(16)}${LONG.slice(9)}`,
  ]) {
    const masked = maskTokens(text);
    assert.match(masked, /\[honeytoken\]/);
    for (const token of [LONG.slice(9), BARE, SHORT]) assert.ok(!masked.includes(token));
  }
  assert.equal(maskTokens('/index.php?a=%20b'), '/index.php?a=%20b');
});
