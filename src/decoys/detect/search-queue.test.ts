import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueueReader, SearchQueue, type Waiting } from './search-queue.ts';

const ROOM_BYTES = 64 * 1024;
const MAX_JOBS = 8;
const BODY = Buffer.from('0123456789'.repeat(100));

function bench() {
  const told: string[] = [];
  const queue = new SearchQueue(ROOM_BYTES, MAX_JOBS);
  const reader = new QueueReader(queue.shared);
  const job = (name: string): Waiting => ({
    source: name,
    done: (sightings) => told.push(`${name} ${sightings ? 'found' : 'clean'}`),
  });
  return { told, queue, reader, job };
}

test('texts and bodies arrive as they were, wherever in a word of memory a body begins', () => {
  const { queue, reader, job } = bench();
  for (let n = 0; n < 200; n++) {
    const body = BODY.subarray(n % 9, 200 + n);
    const texts = ['/', `x-${n}`, 'é'.repeat(n)];
    assert.ok(queue.add(job('a'), texts, body));
    const first = reader.first();
    assert.deepEqual(first.texts, texts);
    assert.equal(first.body.toString(), body.toString());
    reader.next(false);
  }
});

test('room is given back when a request was searched, before its findings are told', () => {
  const { told, queue, reader, job } = bench();
  let added = 0;
  while (queue.add(job(`${added}`), ['/'], BODY)) added++;
  assert.equal(told.length, 0);
  const number = reader.number;
  reader.next(true);
  reader.next(false);
  assert.ok(queue.add(job('more'), ['/'], BODY));
  assert.deepEqual(told, ['1 clean']);
  queue.report(new Map([[number, []]]));
  assert.deepEqual(told, ['1 clean', '0 found']);
  assert.equal(queue.giveUp(), added - 1, 'all that waits is given up and counted');
  assert.ok(queue.isEmpty && reader.isEmpty);
});

test('one source gets at most half of the room', () => {
  const { queue, job } = bench();
  let added = 0;
  while (queue.add(job('a'), ['/'], BODY)) added++;
  assert.equal(added, MAX_JOBS / 2);
  assert.ok(queue.add(job('b'), ['/'], BODY));
});

test('the counts go on when their 32 bits overflow', () => {
  const { told, queue, reader, job } = bench();
  new Int32Array(queue.shared.numbers).fill(0x7fff_ffff, 0, 2);
  queue.giveUp();
  for (let n = 0; n < 3 * MAX_JOBS; n++) {
    assert.ok(queue.add(job('a'), [`text ${n}`], BODY));
    assert.deepEqual(reader.first().texts, [`text ${n}`]);
    reader.next(false);
    queue.settle();
  }
  assert.equal(told.length, 3 * MAX_JOBS);
});
