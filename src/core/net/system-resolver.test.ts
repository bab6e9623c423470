import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharing, systemResolver } from './system-resolver.ts';

test('the hosts file is read, too', async () => {
  const answers = await systemResolver('localhost');
  assert.ok(
    answers.every((text) => text === '127.0.0.1' || text === '::1'),
    answers.join(' '),
  );
  assert.ok(answers.length > 0);
});

test('who asks for a name that is being looked up waits for the same answer', async () => {
  const asked: string[] = [];
  const { promise, resolve: answer } = Promise.withResolvers<readonly string[]>();
  const resolve = sharing((host) => {
    asked.push(host);
    return host === 'slow.example' ? promise : Promise.resolve(['8.8.4.4']);
  });
  const slow = [resolve('slow.example'), resolve('slow.example')];
  assert.deepEqual(await resolve('other.example'), ['8.8.4.4']);
  assert.deepEqual(asked, ['slow.example', 'other.example']);
  answer(['8.8.8.8']);
  assert.deepEqual(await Promise.all(slow), [['8.8.8.8'], ['8.8.8.8']]);
});

test('the next to ask repeats the lookup, after an answer and after none', async () => {
  let asked = 0;
  const resolve = sharing(async () => {
    asked += 1;
    if (asked === 2) throw new Error('no such host');
    return [`8.8.8.${asked}`];
  });
  assert.deepEqual(await resolve('a.example'), ['8.8.8.1']);
  await assert.rejects(resolve('a.example'), /no such host/);
  assert.deepEqual(await resolve('a.example'), ['8.8.8.3']);
});
