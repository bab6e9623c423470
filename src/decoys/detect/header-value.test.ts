import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerValue } from './header-value.ts';

const RAW = ['Host', 'a.test', 'USER-AGENT', 'one', 'user-agent', 'two', 'X-Empty', ''];

for (const [name, value] of [
  ['host', 'a.test'],
  ['user-agent', 'one'],
  ['x-empty', ''],
  ['hos', undefined],
  ['a.test', undefined],
] as const) {
  test(`the value of ${name} is ${value}`, () => assert.equal(headerValue(RAW, name), value));
}
