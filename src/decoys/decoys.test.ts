/** What the answers of many days and addresses have in common, asked of the decoys themselves. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from '../core/net/address.ts';
import { Secret } from '../core/secrets/secret.ts';
import { DAY_MS } from '../core/time.ts';
import { Decoys } from './decoys.ts';

const DAY = 20_700;
const decoys = new Decoys({
  key: new Secret('decoys key', 'a key of the tests alone'),
  site: 'decoys',
});
const DAYS = Array.from({ length: 50 }, (_, index) => DAY + index);

function ask(path: string, day: number, address = '203.0.113.7'): string {
  const client = { address: parseAddress(address)!, learntFrom: 'socket' } as const;
  const probe = { method: 'GET', path, query: '', headers: {}, client, day };
  return decoys.find(probe)!.answer('').body;
}

function awsKey(day: number, address: string): readonly [id: string, secret: string] {
  const body = ask('/.aws/credentials', day, address);
  const value = (name: string) => new RegExp(`^${name} = (.*)$`, 'm').exec(body)![1]!;
  return [value('aws_access_key_id'), value('aws_secret_access_key')];
}

test('one key id of AWS has one secret, also where several addresses share it', () => {
  const [one, other] = ['2a01:4f8:77:1::5', '2a01:4f8:78:2::9'].map((from) => awsKey(DAY, from));
  assert.equal(one![0], other![0]);
  assert.equal(one![1], other![1]);
});

for (const address of ['203.0.113.7', '2a01:4f8:77:1::5', 'fd00::1', '::1']) {
  test(`${address} has the same key of AWS every day, as a file that nobody touches`, () => {
    const keys = DAYS.map((day) => awsKey(day, address).join());
    assert.equal(new Set(keys).size, 1);
  });
}

test('no model was created later than the first moment of the day', () => {
  for (const day of DAYS) {
    for (const { created } of JSON.parse(ask('/v1/models', day)).data) {
      assert.ok(created * 1000 <= day * DAY_MS);
    }
  }
});

test('the tokens of the credentials expire at no round time, nor a round time apart', () => {
  const files = DAYS.map((day) => JSON.parse(ask('/.claude/.credentials.json', day)).claudeAiOauth);
  const minutes = files.map(({ expiresAt }) => Math.floor(expiresAt / 60_000) % 60);
  const apart = files.map((file) => file.refreshTokenExpiresAt - file.expiresAt);
  assert.ok(new Set(minutes).size > 10);
  assert.equal(new Set(apart).size, DAYS.length);
  for (const difference of apart) assert.ok(difference > 29 * DAY_MS && difference < 32 * DAY_MS);
});
