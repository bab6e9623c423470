import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { HashingUnavailable } from './hash-thread.ts';
import { HashThreads, TooManyAttempts } from './hash-threads.ts';

const SALT = '$2a$06$If6bvum7DFjUnE9p2uDeDu';
const HASH = `${SALT}0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i`;
const job = (salt: string | number = SALT) => ({ password: 'abc', salts: [salt] });

test('the event loop turns while a hash is computed', async (context) => {
  const threads = new HashThreads();
  context.after(() => threads.end());
  let isDone = false;
  const running = threads.run(job(14)).then(() => {
    isDone = true;
  });
  for (let turn = 0; turn < 100; turn++) await setImmediate();
  assert.equal(isDone, false);
  await running;
});

test('jobs beyond the queue are refused at once, and the others are done', async (context) => {
  const threads = new HashThreads();
  context.after(() => threads.end());
  const outcomes = await Promise.allSettled(
    Array.from({ length: 300 }, () => threads.run(job('$2a$04$If6bvum7DFjUnE9p2uDeDu'))),
  );
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  assert.ok(refused.length === 98 || refused.length === 99, `${refused.length} refused`);
  for (const { reason } of refused as PromiseRejectedResult[]) {
    assert.ok(reason instanceof TooManyAttempts);
  }
  assert.equal(await threads.run(job()), HASH);
});

test('a thread that dies fails its own job alone, and the next job has a new one', async (context) => {
  const threads = new HashThreads();
  context.after(() => threads.end());
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => threads.run(job(n % 2 ? SALT : 'no salt'))),
  );
  for (const [n, outcome] of outcomes.entries()) {
    if (n % 2) assert.deepEqual(outcome, { status: 'fulfilled', value: HASH });
    else assert.ok(outcome.status === 'rejected' && outcome.reason instanceof HashingUnavailable);
  }
});

test('ending fails what runs and what waits; a later job starts anew', async (context) => {
  const threads = new HashThreads();
  context.after(() => threads.end());
  const outcomes = Promise.allSettled(Array.from({ length: 5 }, () => threads.run(job(20))));
  await setImmediate();
  await threads.end();
  for (const { status } of await outcomes) assert.equal(status, 'rejected');
  assert.equal(await threads.run(job()), HASH);
});

test('an idle thread keeps no process alive, a running job does', async () => {
  const script = `import('./hash-threads.ts').then(({ HashThreads }) =>
    new HashThreads().run(${JSON.stringify(job())}).then(console.log));`;
  const child = spawn(process.execPath, ['--eval', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  assert.deepEqual(await once(child, 'close'), [0, null]);
  assert.equal(text, `${HASH}\n`);
});
