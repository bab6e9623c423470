import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseAddress } from '../../core/net/address.ts';
import { Secret } from '../../core/secrets/secret.ts';
import { DAY_MS } from '../../core/time.ts';
import { awsAccountOf } from '../persona/aws-account.ts';
import { Draw } from '../persona/draw.ts';
import { dayOf } from './day.ts';
import { Honeytokens, SITES } from './honeytoken.ts';
import { PLACES, type PlaceName } from './places.ts';

const KEY = new Secret('decoys key', 'a key of the tests alone');
const TODAY = dayOf(Date.UTC(2026, 10, 15));
const NOW_MS = TODAY * DAY_MS + 3_600_000;
const tokens = new Honeytokens({ key: KEY, site: 'decoys' });
const LONG = 'abcdefghijklmnopqrstuvwxyz234567';

const places = fc.constantFrom(...(Object.keys(PLACES) as PlaceName[]));
const days = fc.integer({ min: 0, max: 65_535 });
const addresses = fc
  .oneof(fc.ipV4(), fc.ipV6())
  .map((text) => parseAddress(text))
  .filter((address) => address !== undefined);

test('a token opens to the decoy, the day, the site and the address it was given to', () => {
  fc.assert(
    fc.property(places, addresses, days, fc.constantFrom(...SITES), (place, address, day, site) => {
      const token = new Honeytokens({ key: KEY, site }).issue(place, address, day);
      assert.match(token, /^hp_live_[a-z2-7]{32}$/);
      const opened = tokens.open(token, NOW_MS);
      assert.equal(opened?.place, PLACES[place]);
      assert.equal(opened?.site, site);
      assert.equal(opened?.day, new Date(day * DAY_MS).toISOString().slice(0, 10));
      const network = address.family === 4 ? address.text : /^.*::\/64$/;
      if (typeof network === 'string') assert.equal(opened?.address, network);
      else assert.match(opened?.address ?? '', network);
    }),
  );
});

for (const [given, named] of [
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['::1', '::/64'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
] as const) {
  test(`a token given to ${given} names ${named}`, () => {
    const token = tokens.issue('accessToken', parseAddress(given)!, TODAY);
    assert.equal(tokens.open(token, NOW_MS)?.address, named);
  });
}

test('the same address, decoy and day give the same token; any other gives another', () => {
  const address = parseAddress('203.0.113.7')!;
  const token = tokens.issue('configToken', address, TODAY);
  assert.equal(
    new Honeytokens({ key: KEY, site: 'decoys' }).issue('configToken', address, TODAY),
    token,
  );
  assert.equal(tokens.issue('configToken', address, TODAY), token);
  const others = [
    tokens.issue('configDatabase', address, TODAY),
    tokens.issue('configToken', parseAddress('203.0.113.8')!, TODAY),
    tokens.issue('configToken', address, TODAY + 1),
    new Honeytokens({ key: KEY, site: 'notes' }).issue('configToken', address, TODAY),
    new Honeytokens({
      key: new Secret('decoys key', 'a key of the tests alone!'),
      site: 'decoys',
    }).issue('configToken', address, TODAY),
  ];
  assert.equal(new Set([token, ...others]).size, 6);
});

test('a token with any one bit flipped is refused', () => {
  fc.assert(
    fc.property(places, addresses, days, (place, address, day) => {
      const sealed = tokens.seal(place, address, day);
      for (let bit = 0; bit < 160; bit++) {
        const at = Math.floor(bit / 5);
        const flipped = LONG.indexOf(sealed[at]!) ^ (1 << (bit % 5));
        const altered = sealed.slice(0, at) + LONG[flipped] + sealed.slice(at + 1);
        assert.equal(tokens.open(`hp_live_${altered}`, NOW_MS), undefined);
      }
    }),
    { numRuns: 20 },
  );
});

test('a made-up token names nobody', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...LONG), minLength: 32, maxLength: 32 }),
      (text) => {
        assert.equal(tokens.open(`hp_live_${text}`, NOW_MS), undefined);
        assert.equal(tokens.open(text, NOW_MS), undefined);
      },
    ),
  );
});

for (const [what, spoil] of [
  ['in upper case', (token: string) => token.toUpperCase()],
  ['one character short', (token: string) => token.slice(0, -1)],
  ['one character long', (token: string) => `${token}a`],
  ['with another prefix', (token: string) => token.replace('hp_', 'xp_')],
  ['with a digit that base32 lacks', (token: string) => `${token.slice(0, -1)}1`],
] as const) {
  test(`a token ${what} is refused`, () => {
    const token = tokens.issue('session', parseAddress('203.0.113.7')!, TODAY);
    assert.equal(tokens.open(spoil(token), NOW_MS), undefined);
  });
}

test('old keys open and do not seal', () => {
  const old = new Honeytokens({
    key: new Secret('decoys key', 'the key of last year'),
    site: 'gateway',
  });
  const rotated = new Honeytokens({
    key: KEY,
    oldKeys: [new Secret('decoys key', 'the key of last year')],
    site: 'gateway',
  });
  const address = parseAddress('198.51.100.9')!;
  const token = old.issue('refreshToken', address, TODAY);
  assert.equal(rotated.open(token, NOW_MS)?.address, '198.51.100.9');
  assert.equal(rotated.open(old.issueAccessKeyId(address), NOW_MS)?.address, '198.51.100.9');
  assert.notEqual(rotated.issue('refreshToken', address, TODAY), token);
  assert.equal(tokens.open(token, NOW_MS), undefined);
});

/** As public tools decode the account of a key id. */
function accountOf(id: string): string {
  const bits = [...id.slice(4, 14)].map((letter) => LONG.indexOf(letter.toLowerCase()));
  const number = bits.reduce((sum, value) => sum * 32n + BigInt(value), 0n) >> 2n;
  return String((number & 0x7fffffffff80n) >> 7n).padStart(12, '0');
}

test('a key id of AWS opens to its IPv4 address, and is of the one account of the key', () => {
  const account = awsAccountOf(new Draw(KEY));
  assert.match(account, /^[1-9][0-9]{11}$/);
  fc.assert(
    fc.property(fc.ipV4(), (text) => {
      const id = tokens.issueAccessKeyId(parseAddress(text)!);
      assert.match(id, /^AKIA[Q-Z2-7][A-Z2-7]{15}$/);
      assert.equal(accountOf(id), account);
      const opened = tokens.open(id, NOW_MS);
      assert.equal(opened?.address, text);
      assert.deepEqual([opened?.day, opened?.confidence], [undefined, 'low']);
      assert.equal(opened?.place.tag, 'aws-credentials');
    }),
  );
});

test('a key id of AWS opens to the IPv6 network of 36 bits', () => {
  const id = tokens.issueAccessKeyId(parseAddress('2a01:4f8:77:1::5')!);
  assert.match(id, /^AKIA[A-Z2-7]{16}$/);
  assert.equal(tokens.open(id, NOW_MS)?.address, '2a01:4f8::/36');
});

test('a key id for an address that does not fit names nobody', () => {
  for (const text of ['::1', 'fe80::1', 'fd00::5']) {
    const id = tokens.issueAccessKeyId(parseAddress(text)!);
    assert.match(id, /^AKIA[A-Z2-7]{16}$/);
    assert.equal(tokens.open(id, NOW_MS), undefined);
  }
});

test('of ids made up from one that was given out, few name anybody, and nobody chosen', () => {
  const given = tokens.issueAccessKeyId(parseAddress('203.0.113.7')!);
  const named = new Set<string>();
  let opened = 0;
  for (let value = 1; value < 8_192; value++) {
    const end = [10, 5, 0]
      .map((bit) => LONG[(value >> bit) & 31])
      .join('')
      .toUpperCase();
    const found = tokens.open(given.slice(0, -3) + end, NOW_MS);
    if (found === undefined) continue;
    opened++;
    named.add(found.address);
  }
  assert.ok(opened < 8_192 / 32, `${opened}`);
  assert.ok(
    ![...named].some((address) => address.startsWith('203.0.113.') && address !== '203.0.113.7'),
  );
});

test('a key id of AWS that is no honeytoken names nobody', () => {
  for (const id of [
    'AKIAIOSFODNN7EXAMPLE',
    'AKIAABCDEFGHIJKLMNOP',
    'akiaabcdefghijklmnop',
    'AKIA',
  ]) {
    assert.equal(tokens.open(id, NOW_MS), undefined);
  }
});

test('the ids of the places differ, and those of issued tokens have not changed', () => {
  const ids = Object.entries(PLACES).map(([name, { id }]) => [name, id] as const);
  assert.equal(new Set(ids.map(([, id]) => id)).size, ids.length);
  assert.partialDeepStrictEqual(Object.fromEntries(ids), {
    configToken: 1,
    configDatabase: 2,
    accessToken: 3,
    refreshToken: 4,
    clientSecret: 5,
    session: 6,
  });
});

test('a token of an earlier version still opens', () => {
  const known = new Honeytokens({
    key: new Secret('decoys key', 'a key that is written down'),
    site: 'decoys',
  });
  const token = known.issue('accessToken', parseAddress('203.0.113.7')!, 20_000);
  assert.equal(token, 'hp_live_ujp4t3uoi3h4youlob3eha5c6k7o642g');
  for (const [id, address] of [
    ['AKIAKRICT64VCWJSLYHN', '203.0.113.7'],
    ['AKIAHEINRN7FA4W6GY7T', '2a01:4f8:77::/48'],
  ] as const) {
    const opened = known.open(id, 20_003 * DAY_MS);
    assert.deepEqual([opened?.address, opened?.day], [address, '2024-10-04']);
  }
});

test('many addresses leave no more than a bounded number of tokens behind', () => {
  const many = new Honeytokens({ key: KEY, site: 'decoys' });
  const first = many.seal('session', parseAddress('10.0.0.0')!, TODAY);
  for (let source = 0; source < 5_000; source++) {
    many.seal('session', parseAddress(`10.0.${source >> 8}.${source & 255}`)!, TODAY);
  }
  assert.equal(many.seal('session', parseAddress('10.0.0.0')!, TODAY), first);
  assert.ok(many.cached <= 1_024);
});
