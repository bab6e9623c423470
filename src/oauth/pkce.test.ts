import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import fc from 'fast-check';
import { isChallenge, provesChallenge } from './pkce.ts';

/** RFC 7636, appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

test('the verifier of the RFC proves the challenge of the RFC', () => {
  assert.equal(provesChallenge(VERIFIER, CHALLENGE), true);
});

const refused: [string, string, string][] = [
  ['another verifier', `${VERIFIER.slice(0, -1)}j`, CHALLENGE],
  ['the challenge as its own verifier (plain)', CHALLENGE, CHALLENGE],
  ['an empty verifier', '', CHALLENGE],
  ['42 characters', 'a'.repeat(42), sha256('a'.repeat(42))],
  ['129 characters', 'a'.repeat(129), sha256('a'.repeat(129))],
  ['a character outside the alphabet', `${'a'.repeat(43)}+`, sha256(`${'a'.repeat(43)}+`)],
  ['a line break at the end', `${VERIFIER}\n`, sha256(`${VERIFIER}\n`)],
];
for (const [name, verifier, challenge] of refused) {
  test(`a verifier is refused: ${name}`, () => {
    assert.equal(provesChallenge(verifier, challenge), false);
  });
}

test('every well-formed verifier proves its own challenge and no other', () => {
  const verifier = fc.stringMatching(/^[A-Za-z0-9._~-]{43,128}$/);
  fc.assert(
    fc.property(verifier, verifier, (one, other) => {
      assert.equal(provesChallenge(one, sha256(one)), true);
      assert.equal(provesChallenge(one, sha256(other)), one === other);
    }),
  );
});

for (const text of ['', CHALLENGE.slice(1), `${CHALLENGE}A`, `${CHALLENGE}=`, `${CHALLENGE}\n`]) {
  test(`not a challenge: ${JSON.stringify(text)}`, () => {
    assert.equal(isChallenge(text), false);
  });
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
