import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Secret } from './secret.ts';
import { toBase32, totpCode, totpProblem } from './totp.ts';

describe('the vectors of RFC 6238, appendix B', () => {
  const secret = new Secret('totp', toBase32(Buffer.from('12345678901234567890')));
  for (const [seconds, code] of [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ] as const) {
    test(`at ${seconds} s`, () => {
      const step = Math.floor(seconds / 30);
      assert.equal(totpCode(secret, step, 8), code);
      assert.equal(totpCode(secret, step), code.slice(2));
    });
  }
});

describe('the vectors of RFC 4648, section 10', () => {
  for (const [text, encoded] of [
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ] as const) {
    test(JSON.stringify(text), () => assert.equal(toBase32(Buffer.from(text)), encoded));
  }
});

test('a secret counts in every way in which services show it', () => {
  const shown = ['GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', 'gezd gnbv gy3t qojq gezd gnbv gy3t qojq'];
  const codes = [...shown, `${shown[0]}====`, shown[1]!.replaceAll(' ', '-')].map((text) =>
    totpCode(new Secret('totp', text), 1),
  );
  assert.deepEqual(new Set(codes), new Set(['287082']));
});

test('what is no secret of a second factor is refused, and not quoted', () => {
  for (const text of ['', 'no base32!', '12345678901234567890', 'ABCDEFGH1', 'ABCDEFGH']) {
    const problem = totpProblem(new Secret('totp', text))!;
    assert.match(problem, /gateway totp/);
    assert.ok(text === '' || !problem.includes(text));
  }
  assert.equal(totpProblem(new Secret('totp', 'GEZDGNBVGY3TQOJQ')), undefined);
});
