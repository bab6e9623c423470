import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passwordWarning } from './weak-password.ts';

const BCRYPT = `$2b$12$${'a'.repeat(53)}`;
const rows: [what: string, raw: string, text: string, said: RegExp | undefined][] = [
  ['a hash without its prefix', BCRYPT, BCRYPT, /without its prefix .* write bcrypt: before it/],
  ['the same from a file', 'file:/run/password', BCRYPT, /without its prefix/],
  ['the same on purpose', `literal:${BCRYPT}`, BCRYPT, undefined],
  ['a hash of another kind', '$argon2id$v=19$m=1', '$argon2id$v=19$m=1', /looks like a hash/],
  ['a part of a bcrypt hash', '$2b$12$abc', '$2b$12$abc', /looks like a hash/],
  ['one letter', 'x', 'x', /fewer than 8 characters/],
  ['seven wide characters', '😀😀😀😀😀😀😀', '😀😀😀😀😀😀😀', /fewer than 8 characters/],
  ['eight letters', 'swordfis', 'swordfis', undefined],
  ['a dollar sign in a password', '$2 for the bus', '$2 for the bus', undefined],
];
for (const [what, raw, text, said] of rows) {
  test(`${what}: ${said === undefined ? 'nothing is said' : 'a warning'}`, () => {
    const warning = passwordWarning(raw, text);
    if (said === undefined) assert.equal(warning, undefined);
    else assert.match(warning ?? '', said);
    assert.ok(!warning?.includes(text.slice(7)) || text.length < 8);
  });
}
