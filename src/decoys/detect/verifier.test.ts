import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from '../../core/net/address.ts';
import { Secret } from '../../core/secrets/secret.ts';
import { DAY_MS } from '../../core/time.ts';
import { Honeytokens } from '../tokens/honeytoken.ts';
import type { Job } from './search-queue.ts';
import { Verifier } from './verifier.ts';

const DAY = 20_700;
const tokens = new Honeytokens({
  key: new Secret('decoys key', 'a key of the tests alone'),
  site: 'gateway',
});
const TOKEN = tokens.issue('configToken', parseAddress('203.0.113.7')!, DAY);
/** The thread has more to do with it than the main thread waits to gather credentials. */
const LOOK_ALIKES = Buffer.from('AKIABCDEFGHIJKLMNOPQ '.repeat(3_000));

test('credentials are searched before the batch that is being searched is done', async (t) => {
  const told: string[] = [];
  const unsearched: unknown[] = [];
  const verifier = new Verifier({
    keys: tokens.keys,
    site: 'gateway',
    now: () => DAY * DAY_MS,
    onUnchecked: ({ requests }) => requests && unsearched.push(requests),
    onError: (error) => assert.fail(String(error)),
    roomBytes: 2 * 1024 * 1024,
  });
  t.after(() => verifier.close());
  const job = (name: string, source: string, rest: Partial<Job>): Job => ({
    ...{ head: '', source },
    ...rest,
    onFound: () => told.push(name),
    onClean: () => told.push(name),
  });
  for (let n = 0; n < 16; n++) verifier.submit(job(`flood ${n}`, 'a', { body: LOOK_ALIKES }));
  // The thread has begun to search them.
  await new Promise((resolve) => setTimeout(resolve, 20));
  const authorization = `authorization\nBearer ${TOKEN}\n`;
  verifier.submit(
    job('thief', 'a', { body: Buffer.alloc(64 * 1024), credentials: () => authorization }),
  );
  await verifier.idle();
  assert.deepEqual(unsearched, [1], 'the room is full for this source');
  assert.equal(told[0], 'thief');
  assert.equal(told.length, 17);
});
