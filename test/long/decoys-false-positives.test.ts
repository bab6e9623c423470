/** What nobody issued is no honeytoken: neither of a million keys, nor of a million changed tokens. */
import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { test } from 'node:test';
import { parseAddress } from '../../src/core/net/address.ts';
import { Secret } from '../../src/core/secrets/secret.ts';
import { decodeBase32, encodeBase32 } from '../../src/decoys/tokens/base32.ts';
import { Honeytokens } from '../../src/decoys/tokens/honeytoken.ts';
import { ACCESS_KEY_PREFIX, PREFIX, TokenReader } from '../../src/decoys/tokens/token-reader.ts';

const MILLION = 1_000_000;
const KEYS_A_DEPLOYMENT = 1_000;
const NOW_MS = Date.now();
const LOOK_ALIKES: readonly [what: string, make: (tokens: Honeytokens) => string][] = [
  ['long look-alikes', () => PREFIX + encodeBase32(randomBytes(20))],
  // Those of AWS begin with a set bit and hold an account of twelve digits.
  ['key ids of other accounts', () => `${ACCESS_KEY_PREFIX}${accountId().toUpperCase()}`],
  ['tokens with one changed bit', (tokens) => PREFIX + encodeBase32(changed(tokens))],
];

for (const [what, make] of LOOK_ALIKES) {
  test(`of a million ${what}, over a thousand deployments, none is a honeytoken`, () => {
    for (let count = 0; count < MILLION; count += KEYS_A_DEPLOYMENT) {
      const key = new Secret('decoys key', randomBytes(32).toString('base64'));
      const tokens = new Honeytokens({ key, site: 'decoys' });
      const reader = new TokenReader(tokens.keys);
      for (let one = 0; one < KEYS_A_DEPLOYMENT; one++) {
        const token = make(tokens);
        assert.equal(reader.open(token, NOW_MS), undefined, token);
      }
    }
  });
}

const SOMEBODY = parseAddress('203.0.113.7')!;
const genuine = new WeakMap<Honeytokens, Buffer>();

function changed(tokens: Honeytokens): Uint8Array {
  let sealed = genuine.get(tokens);
  if (!sealed) {
    sealed = Buffer.from(
      decodeBase32(tokens.issue('accessToken', SOMEBODY, 20_000).slice(PREFIX.length))!,
    );
    genuine.set(tokens, sealed);
  }
  const bytes = Buffer.from(sealed);
  bytes[randomInt(bytes.length)]! ^= 1 << randomInt(8);
  return bytes;
}

function accountId(): string {
  const account = BigInt(randomInt(10 ** 12 - 1));
  const payload = BigInt(`0x${randomBytes(5).toString('hex')}`) >> 1n;
  const whole = (1n << 79n) | (account << 39n) | payload;
  return encodeBase32(Buffer.from(whole.toString(16), 'hex'));
}
