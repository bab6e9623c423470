import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyFor } from '../core/secrets/derive-key.ts';
import { literalPassword } from '../core/secrets/password.ts';
import { SingleUser } from './single-user.ts';

test('the mark of the password changes with it and with a second factor', () => {
  const key = keyFor('test', undefined);
  const mark = (password: string, hasSecondFactor = false) =>
    new SingleUser('ada', literalPassword(password), '1', hasSecondFactor).passwordMark('ada', key);
  assert.equal(mark('one'), mark('one'));
  assert.equal(new Set([mark('one'), mark('two'), mark('one', true)]).size, 3);
  const ada = new SingleUser('ada', literalPassword('one'));
  assert.equal(ada.passwordMark('eve', key), undefined);
});
