import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '../../core/secrets/secret.ts';
import { TOTP_STEP_MS, totpCode } from '../../core/secrets/totp.ts';
import { MemoryStore } from '../../core/store/store.ts';
import { TotpFactor } from './second-factor.ts';

const SECRET = new Secret('totp', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');

function factor(step = 1_000) {
  const clock = { ms: step * TOTP_STEP_MS };
  const store = new MemoryStore({ now: () => clock.ms });
  const open = () =>
    new TotpFactor(
      store,
      (user) => (user === 'none' ? undefined : SECRET),
      () => clock.ms,
    );
  return {
    clock,
    replicas: [open(), open(), open()] as const,
    code: (at: number) => totpCode(SECRET, at),
  };
}

test('a code serves once, over all replicas', async () => {
  const { replicas, code } = factor();
  const all = await Promise.all(
    Array.from({ length: 30 }, (_, at) => replicas[at % 3]!.check('ada', code(1_000))),
  );
  assert.equal(all.filter(Boolean).length, 1);
  assert.equal(await replicas[0].check('ada', code(1_000)), false);
  assert.equal(await replicas[0].check('bob', code(1_000)), true);
});

test('the clock may be one step off, and no code before the last one serves', async () => {
  for (const [step, isRight] of [
    [998, false],
    [999, true],
    [1_000, true],
    [1_001, true],
    [1_002, false],
  ] as const) {
    const { replicas, code } = factor();
    assert.equal(await replicas[0].check('ada', code(step)), isRight, String(step));
  }
  const { replicas, code } = factor();
  assert.equal(await replicas[0].check('ada', code(1_001)), true);
  assert.equal(await replicas[1].check('ada', code(1_000)), false);
  assert.equal(await replicas[2].check('ada', code(1_001)), false);
});

test('the last step is remembered for as long as its code would be right', async () => {
  const { clock, replicas, code } = factor();
  assert.equal(await replicas[0].check('ada', code(1_001)), true);
  clock.ms += 2 * TOTP_STEP_MS;
  assert.equal(await replicas[0].check('ada', code(1_001)), false);
  assert.equal(await replicas[0].check('ada', code(1_002)), true);
});

test('what is no code is refused; a user without a second factor has none', async () => {
  const { replicas, code } = factor();
  for (const wrong of [
    '',
    '12345',
    '1234567',
    'abcdef',
    `${code(1_000)} `,
    '１２３４５６',
    '-12345',
  ]) {
    assert.equal(await replicas[0].check('ada', wrong), false, wrong);
  }
  assert.equal(replicas[0].isNeeded('none'), false);
  assert.equal(await replicas[0].check('none', code(1_000)), false);
});
