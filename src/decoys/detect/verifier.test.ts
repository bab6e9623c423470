import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from '../../core/net/address.ts';
import { Secret } from '../../core/secrets/secret.ts';
import { DAY_MS } from '../../core/time.ts';
import { Honeytokens } from '../tokens/honeytoken.ts';
import { type Job, Verifier, type VerifierOptions } from './verifier.ts';

const DAY = 20_700;
const tokens = new Honeytokens({
  key: new Secret('decoys key', 'a key of the tests alone'),
  site: 'gateway',
});
const tokenOf = (n: number) => tokens.issue('configToken', parseAddress(`203.0.113.${n}`)!, DAY);

/** Each takes the thread milliseconds. */
const LOOK_ALIKES = Array.from({ length: 2_000 }, (_, n) =>
  n.toString(2).replaceAll('0', 'a').replaceAll('1', 'b').padStart(31, 'c'),
).join('d ');

function verifier(t: { after(end: () => Promise<void>): void }, more: Partial<VerifierOptions>) {
  const made = new Verifier({
    keys: tokens.keys,
    site: 'gateway',
    now: () => DAY * DAY_MS,
    onUnchecked: () => {},
    onError: (error) => assert.fail(String(error)),
    ...more,
  });
  t.after(() => made.close());
  return made;
}

test('credentials are searched before what waits, also while the thread is at work', async (t) => {
  const told: string[] = [];
  let unsearched = 0;
  const onUnchecked = ({ requests = 0 }) => {
    unsearched += requests;
  };
  const trap = verifier(t, { onUnchecked, roomBytes: 1024 * 1024 });
  const submit = (name: string, more: Partial<Job>) =>
    trap.submit({
      ...{ texts: [], source: 'a' },
      ...more,
      onFound: () => {
        told.push(name);
        // The thread has told what it found and goes on: there is no room again for the next one.
        if (told.length === 1) flood();
      },
    });
  let sent = 0;
  const flood = () => {
    const before = unsearched;
    while (unsearched === before) {
      const body = Buffer.from(`${tokenOf(sent)} ${LOOK_ALIKES}`);
      submit(`flood ${sent++}`, { body });
    }
    const authorization = ['', 'Authorization', `Bearer ${tokenOf(200 + told.length)}`];
    const body = Buffer.alloc(64 * 1024);
    submit(`thief ${told.length}`, { body, credentials: () => authorization });
  };
  flood();
  await trap.idle();
  assert.equal(told[0], 'thief 0');
  assert.ok(told.indexOf('thief 1') < told.length - 1, told.join());
  assert.equal(told.length, sent, 'two found no room, and two thieves');
});

test('every request is told of, and its room is used again', async (t) => {
  const trap = verifier(t, { roomBytes: 256 * 1024, onUnchecked: () => assert.fail('no room') });
  const told: string[] = [];
  const expected: string[] = [];
  for (let round = 0; round < 60; round++) {
    for (let n = 0; n < 8; n++) {
      const whole = Buffer.from(`${'x '.repeat((round * 37 + n * 1_001) % 6_000)} ${round} ${n}`);
      const body = whole.subarray(n);
      const hasToken = (round + n) % 5 === 0;
      const texts = ['/', 'X-Key', hasToken ? tokenOf(n) : 'nothing'];
      const at = expected.push(hasToken ? 'found' : 'clean') - 1;
      trap.submit({
        ...{ texts, body, source: `${round}` },
        onFound: (sightings) => {
          assert.equal(sightings[0]?.opened?.address, `203.0.113.${n}`);
          told[at] = 'found';
        },
        onClean: () => {
          told[at] = 'clean';
        },
      });
    }
    await trap.idle();
  }
  assert.deepEqual(told, expected);
});
