import assert from 'node:assert/strict';
import test from 'node:test';
import {
  isSameHash,
  mintToken,
  newSealKey,
  newSignInId,
  readToken,
  wasMinted,
} from './token-text.ts';

const KEY = newSealKey();

test('a token names its sign-in and carries 256 random bits that the hash does not show', () => {
  const id = newSignInId();
  const one = mintToken(id, 'code', KEY);
  const other = mintToken(id, 'code', KEY);
  assert.deepEqual(readToken(one.text), { signInId: id, hash: one.hash });
  assert.equal(Buffer.from(one.text.slice(id.length), 'base64url').length, 48);
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
  const { text } = mintToken(id, 'refresh_token', KEY);
  assert.equal(wasMinted(text, 'refresh_token', KEY), true);
  assert.equal(wasMinted(text, 'access_token', KEY), false);
  assert.equal(wasMinted(text, 'refresh_token', newSealKey()), false);
  assert.equal(wasMinted(id + 'A'.repeat(64), 'refresh_token', KEY), false);
});

const token = mintToken(newSignInId(), 'code', KEY).text;
const notOurs = ['', 'a', token.slice(1), `${token}A`, `${token}\n`, ` ${token}`, `${token}=`];
for (const text of [...notOurs, 'é'.repeat(88), 'a'.repeat(1_000_000)]) {
  test(`cannot be one of our tokens: ${JSON.stringify(text.slice(0, 70))}`, () => {
    assert.equal(readToken(text), undefined);
  });
}
