import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { Secret } from './secret.ts';

test('no ordinary conversion prints the value of a secret', () => {
  const secret = new Secret('api_key', 'hunter2hunter2');
  const printed = [
    `${secret}`,
    String(secret),
    JSON.stringify({ secret }),
    inspect(secret),
    inspect({ deep: { secret } }, { depth: 9, showHidden: true }),
    Object.keys(secret).join(),
    JSON.stringify(structuredClone({ ...secret })),
  ];
  for (const text of printed) assert.doesNotMatch(text, /hunter2/);
});

test('a secret compares equal to its own value only', () => {
  const secret = new Secret('key', 'abcdefgh');
  assert.equal(secret.equals('abcdefgh'), true);
  assert.equal(secret.equals('abcdefgi'), false);
  assert.equal(secret.equals('abcdefg'), false);
});
