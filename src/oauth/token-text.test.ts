import assert from 'node:assert/strict';
import test from 'node:test';
import { isSameHash, mintToken, newSignInId, readToken } from './token-text.ts';

test('a token names its sign-in and carries 256 random bits that the hash does not show', () => {
  const id = newSignInId();
  const one = mintToken(id);
  const other = mintToken(id);
  assert.deepEqual(readToken(one.text), { signInId: id, hash: one.hash });
  assert.equal(Buffer.from(one.text.slice(id.length), 'base64url').length, 32);
  assert.notEqual(one.text, other.text);
  assert.equal(isSameHash(one.hash, other.hash), false);
  assert.equal(isSameHash(one.hash, one.hash), true);
  assert.equal(one.text.includes(one.hash), false);
});

const token = mintToken(newSignInId()).text;
const notOurs = ['', 'a', token.slice(1), `${token}A`, `${token}\n`, ` ${token}`, `${token}=`];
for (const text of [...notOurs, 'é'.repeat(67), 'a'.repeat(1_000_000)]) {
  test(`cannot be one of our tokens: ${JSON.stringify(text.slice(0, 70))}`, () => {
    assert.equal(readToken(text), undefined);
  });
}
