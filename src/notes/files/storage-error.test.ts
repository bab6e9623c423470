import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asStorageError } from './storage-error.ts';

const CAUSES = [
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'ENOTEMPTY',
  'ENAMETOOLONG',
  'EIO',
  'ENOSPC',
  'EROFS',
];

test('every usual failure of a filesystem says what happened and what to do, without its code', () => {
  for (const code of CAUSES) {
    const { message } = asStorageError(Object.assign(new Error(code), { code }));
    assert.match(message, /^[^A-Z]+; [^A-Z]+$/, code);
  }
});
