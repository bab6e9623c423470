import assert from 'node:assert/strict';
import test from 'node:test';
import { keyFor } from '../core/secrets/derive-key.ts';
import { isSameText as isSameHash } from '../core/secrets/same-text.ts';
import { mintedGeneration, mintToken, newSignInId, readToken } from './token-text.ts';

const newKey = () => keyFor('tokens', undefined);
const KEY = newKey();

test('a token names its sign-in and carries 256 random bits that the hash does not show', () => {
  const id = newSignInId();
  const one = mintToken(id, 'code', 0, KEY);
  const other = mintToken(id, 'code', 0, KEY);
  assert.deepEqual(readToken(one.text), { signInId: id, hash: one.hash });
  assert.equal(Buffer.from(one.text.slice(id.length), 'base64url').length, 3 + 32 + 16);
  assert.notEqual(one.text, other.text);
  assert.equal(isSameHash(one.hash, other.hash), false);
  assert.equal(isSameHash(one.hash, one.hash), true);
  for (let at = 0; at < one.hash.length; at++) {
    const close = `${one.hash.slice(0, at)}!${one.hash.slice(at + 1)}`;
    assert.equal(isSameHash(one.hash, close), false);
    assert.equal(isSameHash(one.hash, one.hash.slice(0, at)), false);
  }
  assert.equal(one.text.includes(one.hash), false);
});

test('a token is known for one of its kind and its sign-in, and a made-up one is not', () => {
  const id = newSignInId();
  const { text } = mintToken(id, 'refresh_token', 7, KEY);
  const generationOf = (shown: string, key = KEY) => mintedGeneration(shown, 'refresh_token', key);
  assert.equal(generationOf(text), 7);
  assert.equal(mintedGeneration(text, 'access_token', KEY), undefined);
  assert.equal(generationOf(text, newKey()), undefined);
  assert.equal(generationOf(id + 'A'.repeat(68)), undefined);
  assert.equal(generationOf(newSignInId() + text.slice(id.length)), undefined);
  const newer = `${id}AAA8${text.slice(id.length + 4)}`;
  assert.equal(generationOf(newer), undefined);
});

test('the generation of a token stays at the last one there is', () => {
  const { text } = mintToken(newSignInId(), 'refresh_token', 2 ** 24, KEY);
  assert.equal(mintedGeneration(text, 'refresh_token', KEY), 2 ** 24 - 1);
});

const token = mintToken(newSignInId(), 'code', 0, KEY).text;
const notOurs = ['', 'a', token.slice(1), `${token}A`, `${token}\n`, ` ${token}`, `${token}=`];
for (const text of [...notOurs, 'é'.repeat(92), 'a'.repeat(1_000_000)]) {
  test(`cannot be one of our tokens: ${JSON.stringify(text.slice(0, 70))}`, () => {
    assert.equal(readToken(text), undefined);
  });
}
