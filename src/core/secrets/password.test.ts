import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSync } from 'bcryptjs';
import {
  bcryptPassword,
  costsToAdd,
  dummyCostFor,
  dummyHash,
  hashingProblem,
  hashPassword,
  literalPassword,
  passwordProblem,
  verifyPassword,
} from './password.ts';

/** A hash at the lowest cost, so that the tests are quick. */
function cheapHash(text: string) {
  return bcryptPassword(hashSync(text, 4))!;
}

test('a literal and a hash accept their own password only', async () => {
  for (const password of [literalPassword('correct horse'), cheapHash('correct horse')]) {
    assert.equal(await verifyPassword(password, 'correct horse', 4), true);
    for (const wrong of ['Correct horse', 'correct hors', '', 'correct horse\0']) {
      assert.equal(await verifyPassword(password, wrong, 4), false, JSON.stringify(wrong));
    }
  }
});

test('the dummy hash is well formed, so that checking against it does the whole work', async () => {
  assert.ok(bcryptPassword(dummyHash(12)));
  const recomputed = hashSync('anything', dummyHash(4).slice(0, 29));
  assert.equal(recomputed.slice(0, 29), dummyHash(4).slice(0, 29));
  for (const presented of ['', 'x', 'a'.repeat(100)]) {
    assert.equal(await verifyPassword(undefined, presented, 4), false);
  }
});

test('a password over 72 bytes never matches a hash of its first 72', async () => {
  const password = cheapHash('a'.repeat(72));
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

/**
 * The first are published with crypt_blowfish and jBCrypt; the others were made by libxcrypt and
 * Apache's htpasswd, the last three to have every prefix, 72 bytes, and letters beyond ASCII.
 */
const VECTORS: readonly (readonly [password: string, hash: string])[] = [
  ['U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['U*U*', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK'],
  ['U*U*U', '$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a'],
  ['a', '$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe'],
  ['abc', '$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i'],
  ['abcdefghijklmnopqrstuvwxyz', '$2a$06$.rCVZVOThsIa97pEDOxvGuRRgzG64bvtJ0938xuqzv18d3ZpQhstC'],
  [
    '~!@#$%^&*()      ~!@#$%^&*()PNBFRD',
    '$2a$06$fPIsBO8qRqkjj273rfaOI.HtSV9jLDpTbZn782DC6/t7qT67P6FfO',
  ],
  ['über', '$2b$05$CCCCCCCCCCCCCCCCCCCCC./CWDKxCXchbARUv.ZSBU1BYS91M.ecu'],
  ['Passwörd € 🔑', '$2y$05$abcdefghijklmnopqrstuuxTp0VuFSr9EJXdDSHW1SQli5MTA35.W'],
  ['x'.repeat(72), '$2b$04$abcdefghijklmnopqrstuubzadhGtS2zEF.gu0yd0opP6cVzb.e0i'],
  ['é'.repeat(36), '$2a$04$XXXXXXXXXXXXXXXXXXXXXOEHovwq3v9HXe4OeYuh009O2An4BdmQO'],
  ['pässwörd from apache', '$2y$05$ApbucASsTm7cP1cDm66qCuCF5OOK4s3ti2X35DqF9oYtReXvdfaf6'],
];

test('hashes that others made accept their password, and no other', async () => {
  for (const [text, hash] of VECTORS) {
    const password = bcryptPassword(hash);
    assert.equal(await verifyPassword(password, text, 4), true, hash);
    assert.equal(await verifyPassword(password, `${text.slice(0, -1)}~~`, 4), false, hash);
  }
});

test('the unused bits of a salt may be written in any way', async () => {
  const [text, hash] = VECTORS[1]!;
  const other = bcryptPassword(hash.replace('CCCC.V', 'CCCC/V'));
  assert.equal(await verifyPassword(other, text, 4), true);
});

test('a working installation has no hashing problem', async () => {
  assert.equal(await hashingProblem(), undefined);
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
  const cheap = cheapHash('x');
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
