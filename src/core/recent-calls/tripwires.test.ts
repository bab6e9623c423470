import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fields } from '../log/log.ts';
import { createLog } from '../log/log.ts';
import { RecentCalls } from './recent-calls.ts';
import { Tripwires } from './tripwires.ts';

test('one sign-in writes twenty lines a minute, and the next minute says how many hits had none', async () => {
  const lines: Fields[] = [];
  const log = createLog({ level: 'info', write: (line) => lines.push(JSON.parse(line)) });
  let nowMs = 0;
  let frozen = 0;
  const tripwires = new Tripwires({
    log,
    recent: new RecentCalls(),
    onTripwire: () => 'freeze',
    freeze: async () => ++frozen === 1,
    now: () => nowMs,
  });
  const ada = { user: 'ada', incarnation: '1' };
  const hit = (signInId: string) =>
    tripwires.hit(ada, { signInId, clientId: 'app' }, { site: 'gateway' });

  for (let count = 0; count < 1_000; count++) await hit('one');
  assert.equal(lines.length, 20);
  assert.equal(frozen, 1_000, 'every hit is acted on');
  await hit('another');
  assert.equal(lines.length, 21);
  nowMs = 60_000;
  await hit('one');
  assert.equal(lines[21]?.not_logged, 980);
  assert.deepEqual(
    lines.map((line) => 'calls' in line),
    lines.map((_, index) => [0, 20, 21].includes(index)),
  );
});
