import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readWith } from '../../test/gateway/config-file.ts';
import { ActiveConfig } from './config/active-config.ts';
import { REFUSAL_STATUS } from './request/refusal.ts';
import { TRIAL_STEPS, tryRequest } from './trial.ts';

test('the steps shown are those of the pipeline, in its order, with its codes', () => {
  const pipeline = readFileSync(new URL('./pipeline.ts', import.meta.url), 'utf8');
  const steps = [...pipeline.matchAll(/\/\/ +(\d+) {2}(\w+(?:, \w+)*)$/gm)].map(
    ([, step, codes]) => ({ step: Number(step), codes: codes!.split(', ') }),
  );
  assert.deepEqual(
    TRIAL_STEPS.map(({ step, codes }) => ({ step, codes })),
    steps,
  );
  assert.equal(steps.length, 9);
  for (const code of steps.flatMap(({ codes }) => codes)) assert.ok(code in REFUSAL_STATUS, code);
});

const { config } = readWith({
  target: { rate_limit: '1/h', inject: { headers: { 'X-Key': 'fixed' } } },
});
const active = new ActiveConfig(config!);
const user = config!.users.get('alice')!;
const own = { origins: [], listeners: [], localAddresses: [] };
const url = 'https://api.example.com/v1';

test('whether a client would need an approval is told, and nothing waits', async () => {
  const reading = readWith({ target: { methods: ['GET', 'POST'], approve: ['POST'] } });
  const asking = new ActiveConfig(reading.config!);
  const at = { active: asking, resolve: async () => ['93.184.216.34'], own };
  for (const [method, expected] of [
    ['GET', false],
    ['POST', true],
  ] as const) {
    const trial = await tryRequest(reading.config!.users.get('alice')!, { url, method }, at);
    assert.deepEqual([trial.refusal, trial.needsApproval], [undefined, expected]);
  }
});

test('no token is taken, however often one tries', async () => {
  const resolve = async () => ['93.184.216.34'];
  for (let round = 0; round < 3; round++) {
    const { refusal, target, addresses } = await tryRequest(
      user,
      { url },
      { active, resolve, own },
    );
    assert.equal(refusal, undefined);
    assert.equal(target?.id, 't');
    assert.deepEqual(addresses, ['93.184.216.34']);
  }
});

test('a name that leads to a private address is refused, and the address is told', async () => {
  const resolve = async () => ['93.184.216.34', '10.0.0.7'];
  const { refusal, addresses } = await tryRequest(user, { url }, { active, resolve, own });
  assert.equal(refusal?.code, 'blocked_network');
  assert.deepEqual(addresses, ['93.184.216.34', '10.0.0.7']);
});

test('a name that leads nowhere is refused at the last step only', async () => {
  const resolve = () => Promise.reject(new Error('no such name'));
  const at = { active, resolve, own };
  const { refusal, addresses } = await tryRequest(user, { url }, at);
  assert.equal(refusal?.code, 'upstream_error');
  assert.deepEqual(addresses, []);
  const post = await tryRequest(user, { url, method: 'POST' }, at);
  assert.equal(post.refusal?.code, 'method_not_allowed');
});
