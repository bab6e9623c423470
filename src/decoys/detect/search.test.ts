import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { API_KEY } from '../../core/honeytokens/shape.ts';
import { parseAddress } from '../../core/net/address.ts';
import { Secret } from '../../core/secrets/secret.ts';
import { DAY_MS } from '../../core/time.ts';
import { Honeytokens } from '../tokens/honeytoken.ts';
import { TokenReader } from '../tokens/token-reader.ts';
import { KnownTexts, partsOf, suspicionOf } from './request-parts.ts';
import { MAX_CANDIDATES, type Part, search } from './search.ts';

const DAY = 20_700;
const tokens = new Honeytokens({
  key: new Secret('decoys key', 'a key of the tests alone'),
  site: 'gateway',
});
const reader = new TokenReader(tokens.keys);
const thief = parseAddress('203.0.113.7')!;
const LONG = tokens.issue('configToken', thief, DAY);
const BARE = tokens.seal('configDatabase', thief, DAY);
const SHORT = tokens.issueAccessKeyId(thief);
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

function sightingsIn(url: string, rawHeaders: readonly string[], body?: string) {
  const suspicion = suspicionOf({ url, rawHeaders: [...rawHeaders] }, new KnownTexts());
  const parts: Part[] = partsOf(suspicion?.texts ?? []);
  if (body !== undefined) parts.push({ where: 'body', text: body });
  return search(parts, reader, DAY * DAY_MS).sightings;
}

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
    const sightings = sightingsIn(url, ['Host', 'x', ...header]);
    assert.deepEqual(
      sightings.map((sighting) => [sighting.where, sighting.opened?.address]),
      [[where, '203.0.113.7']],
    );
    assert.match(sightings[0]!.hash, /^[0-9a-f]{64}$/);
    assert.ok(!JSON.stringify(sightings).includes(LONG.slice(8)));
  });
}

test('an api_key is seen with its id and names nobody', () => {
  const [sighting] = sightingsIn('/', ['X-Key', `${API_KEY}42`]);
  assert.deepEqual([sighting?.apiKeyId, sighting?.opened], ['42', undefined]);
});

test('of many api_keys in a request one is told, and they hide no other honeytoken', () => {
  const keys = Array.from({ length: 100 }, (_, id) => `sk_live_honeypot${id}`).join(' ');
  const sightings = sightingsIn('/', ['X-Keys', keys, 'Authorization', `Bearer ${LONG}`]);
  assert.deepEqual(
    sightings.map(({ where, apiKeyId, opened }) => [where, apiKeyId ?? opened?.address]),
    [
      ['header authorization', '203.0.113.7'],
      ['header x-keys', '0'],
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
    `x${BARE}y`,
  ]) {
    assert.deepEqual(sightingsIn('/', ['X-Key', text]), [], text);
  }
});

/** Different texts that look like a token and are none. */
const lookAlikes = (count: number, form: (text: string) => string) =>
  Array.from({ length: count }, (_, index) =>
    form(index.toString(2).replaceAll('0', 'a').replaceAll('1', 'b').padStart(32, 'c')),
  ).join(' ');
const FORMS: readonly [string, (text: string) => string][] = [
  ['tokens', (text) => `hp_live_${text}`],
  ['passwords', (text) => text],
  ['key ids', (text) => `AKIA${text.slice(-16).toUpperCase()}`],
];

test('as many look-alikes as fit a budget hide no honeytoken behind them, in any place', () => {
  for (const [what, form] of FORMS) {
    const noise = lookAlikes(MAX_CANDIDATES - 1, form);
    for (const token of [LONG, BARE, SHORT]) {
      const before = `${noise} ${token}`;
      for (const found of [
        sightingsIn('/', ['X-Key', before]),
        sightingsIn('/', ['Cookie', before]),
        sightingsIn(`/?q=${encodeURIComponent(before)}`, []),
        sightingsIn('/', [], before),
        sightingsIn('/', ['X-One', noise, 'X-Two', noise, 'X-Three', token]),
        sightingsIn(
          `/?q=${encodeURIComponent(noise)}`,
          ['Authorization', `Bearer ${token}`],
          noise,
        ),
      ]) {
        assert.equal(found.length, 1, `${token} behind ${what}`);
      }
    }
  }
});

test('thousands of fields hide no credentials behind them', () => {
  const fields = Array.from({ length: 3_000 }, (_, n) => [
    `x-${n}`,
    `hp_live_${'a'.repeat(32)}`,
  ]).flat();
  for (const name of ['Authorization', 'cookie', 'X-Api-Key', 'Mcp-Session-Id']) {
    assert.equal(sightingsIn('/', [...fields, name, LONG]).length, 1, name);
  }
});

test('look-alikes of one form use up no budget of another', () => {
  const noise = lookAlikes(4 * MAX_CANDIDATES, FORMS[0]![1]);
  assert.equal(sightingsIn('/', ['X-Key', `${noise} ${SHORT} ${BARE}`]).length, 2);
});

test('no request makes it compute without bound, and what is left is counted', () => {
  let opened = 0;
  const counting = {
    open: () => {
      opened++;
    },
  } as unknown as TokenReader;
  const text = lookAlikes(2_000, FORMS[0]![1]);
  const { uncheckedCandidates } = search([{ where: 'body', text }], counting, 0);
  assert.equal(opened, MAX_CANDIDATES);
  assert.equal(uncheckedCandidates, 2_000 - MAX_CANDIDATES);
});

test('of ten thousand random keys of each form, with old keys configured, none is a honeytoken', () => {
  const many = new TokenReader([
    ...tokens.keys,
    ...new Honeytokens({ key: new Secret('k', 'an old key'), site: 'notes' }).keys,
  ]);
  const random = (length: number) =>
    Array.from(randomBytes(length), (byte) => 'abcdefghijklmnopqrstuvwxyz234567'[byte & 31]).join(
      '',
    );
  for (const form of [
    () => `hp_live_${random(32)}`,
    () => random(32),
    () => `AKIA${random(16).toUpperCase()}`,
  ]) {
    for (let n = 0; n < 10_000; n++) {
      const key = form();
      assert.equal(many.open(key, DAY * DAY_MS), undefined, key);
    }
  }
});
