import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showWaiting } from './show-waiting.ts';

test('who waits sees for what and how much longer, and nothing of it remains', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const shown: string[] = [];
  const waiting = showWaiting({ status: (line) => shown.push(line) }, 'waiting', 600_000);
  t.mock.timers.tick(1_000);
  waiting.end();
  t.mock.timers.tick(5_000);
  assert.equal(shown.length, 3);
  assert.deepEqual([shown[0], shown.at(-1)], ['waiting; 10:00 left', '']);
});

test('where nobody watches nothing is shown', () => {
  showWaiting({}, 'waiting', 600_000).end();
});
