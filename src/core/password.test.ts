import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hash } from '@node-rs/bcrypt';
import {
  bcryptPassword,
  costsToAdd,
  dummyCostFor,
  dummyHash,
  hashPassword,
  literalPassword,
  passwordProblem,
  verifyPassword,
} from './password.ts';

/** A hash at the lowest cost, so that the tests are quick. */
async function cheapHash(text: string) {
  return bcryptPassword(await hash(text, { cost: 4 }))!;
}

test('a literal and a hash accept their own password only', async () => {
  for (const password of [literalPassword('correct horse'), await cheapHash('correct horse')]) {
    assert.equal(await verifyPassword(password, 'correct horse', 4), true);
    for (const wrong of ['Correct horse', 'correct hors', '', 'correct horse\0']) {
      assert.equal(await verifyPassword(password, wrong, 4), false, JSON.stringify(wrong));
    }
  }
});

test('the dummy hash is well formed, so that checking against it does the whole work', async () => {
  assert.ok(bcryptPassword(dummyHash(12)));
  const recomputed = await hash('anything', { salt: dummyHash(4).slice(0, 29) });
  assert.equal(recomputed.slice(0, 29), dummyHash(4).slice(0, 29));
  for (const presented of ['', 'x', 'a'.repeat(100)]) {
    assert.equal(await verifyPassword(undefined, presented, 4), false);
  }
});

test('a password over 72 bytes never matches a hash of its first 72', async () => {
  const password = await cheapHash('a'.repeat(72));
  assert.equal(await verifyPassword(password, 'a'.repeat(72), 4), true);
  assert.equal(await verifyPassword(password, 'a'.repeat(73), 4), false);
  assert.equal(await verifyPassword(literalPassword('a'.repeat(100)), 'a'.repeat(100), 4), true);
  assert.equal(await verifyPassword(literalPassword('a'.repeat(100)), 'a'.repeat(99), 4), false);
});

test('a password that bcrypt would cut is refused with the reason', () => {
  assert.match(passwordProblem('é'.repeat(37))!, /74 bytes/);
  assert.match(passwordProblem('')!, /empty/);
  assert.match(passwordProblem('a\0b')!, /NUL/);
  assert.equal(passwordProblem('a'.repeat(72)), undefined);
});

test('hashing gives a value ready to paste', async () => {
  const value = await hashPassword('s3cret');
  assert.match(value, /^bcrypt:\$2b\$12\$[./A-Za-z0-9]{53}$/);
  assert.equal(await verifyPassword(bcryptPassword(value.slice(7)), 's3cret'), true);
});

test('what is no bcrypt hash is not taken for one', () => {
  for (const text of [
    '',
    'x',
    '$2b$12$short',
    `$2b$03$${'a'.repeat(53)}`,
    `$2b$31$${'a'.repeat(53)}`,
  ]) {
    assert.equal(bcryptPassword(text), undefined, text);
  }
});

test('an unknown user costs what the dearest known one costs', async () => {
  const cheap = await cheapHash('x');
  assert.equal(dummyCostFor([literalPassword('x'), cheap]), 4);
  assert.equal(dummyCostFor([literalPassword('x')]), 12);
  assert.equal(dummyCostFor([]), 12);
});

test('a hash of any cost is made as dear as the dearest', () => {
  const work = (cost: number) => 2 ** cost;
  for (const dearest of [4, 10, 12, 20]) {
    for (let cost = 4; cost <= dearest; cost++) {
      const added = costsToAdd(cost, dearest).map(work);
      const total = added.reduce((sum, part) => sum + part, work(cost));
      assert.equal(total, work(dearest), `${cost} among ${dearest}`);
    }
  }
  assert.deepEqual(costsToAdd(14, 12), []);
});
