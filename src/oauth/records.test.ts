import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { keyFor } from '../core/secrets/derive-key.ts';
import {
  ACCESS_TOKENS_KEPT,
  beginSignIn,
  issueTokens,
  lifetimeOf,
  REFRESH_TTL_MS,
  type SignIn,
  spendCode,
} from './records.ts';
import { newSignInId, readToken } from './token-text.ts';

const NOW = 1_000_000;
const HOUR = 3_600_000;
const KEY = keyFor('tokens', undefined);
const at = (now: number, signInId = newSignInId()) => ({ signInId, sealKey: KEY, now });
const newcomer = {
  user: 'ada',
  incarnation: 'ada-1',
  clientId: 'client',
  challenge: 'challenge',
  redirectUri: 'https://app.example/cb',
  scope: 'mcp',
};

test('a sign-in begins with one pending code and lives as long as that code', () => {
  const { code, record } = beginSignIn(at(NOW), newcomer, 60_000);
  assert.equal(record.code?.expiresAt, NOW + 60_000);
  assert.equal(record.refresh, undefined);
  assert.deepEqual(record.access, []);
  assert.deepEqual(lifetimeOf(record, NOW), { ttlMs: 60_000, evictable: false });
  assert.equal(JSON.stringify(record).includes(code), false);
});

test('issuing tokens spends the code and starts thirty days', () => {
  const id = newSignInId();
  const begun = beginSignIn(at(NOW, id), newcomer, 60_000).record;
  const { tokens, record } = issueTokens(at(NOW + 5, id), begun, HOUR);
  assert.equal('code' in record, false);
  assert.equal(record.refresh?.hash, readToken(tokens.refreshToken)?.hash);
  assert.equal(record.refresh?.expiresAt, NOW + 5 + REFRESH_TTL_MS);
  assert.deepEqual(record.access, [
    { hash: readToken(tokens.accessToken)?.hash, expiresAt: NOW + 5 + HOUR },
  ]);
  assert.equal(lifetimeOf(record, NOW + 5).ttlMs, REFRESH_TTL_MS);
});

test('a sign-in is kept for its access token where that lives longer than a refresh token', () => {
  const begun = beginSignIn(at(NOW), newcomer, 60_000).record;
  const { record } = issueTokens(at(NOW), begun, 2 * REFRESH_TTL_MS);
  assert.equal(lifetimeOf(record, NOW).ttlMs, 2 * REFRESH_TTL_MS);
});

test('spending a code leaves nothing of it', () => {
  const begun = beginSignIn(at(NOW), newcomer, 60_000).record;
  assert.equal('code' in spendCode(begun), false);
});

test('a record stays small and holds only valid access tokens, however often it is renewed', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 3 * HOUR }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(steps, (pauses) => {
      let now = NOW;
      let record: SignIn = beginSignIn(at(now), newcomer, 60_000).record;
      for (const pause of pauses) {
        now += pause;
        record = issueTokens(at(now), record, HOUR).record;
        assert.ok(record.access.length >= 1 && record.access.length <= ACCESS_TOKENS_KEPT);
        assert.ok(record.access.every(({ expiresAt }) => expiresAt > now));
      }
      assert.deepEqual(JSON.parse(JSON.stringify(record)), record);
    }),
    { numRuns: 50 },
  );
});
