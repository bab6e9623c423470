import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readFailure, resolveValue } from './value.ts';

const directory = mkdtempSync(join(tmpdir(), 'value-test-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const HASH = `$2b$12$${'a'.repeat(53)}`;

function file(name: string, content: string | Buffer): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return `file:${path}`;
}
mkdirSync(join(directory, 'folder'));

const env = {
  TOKEN: 'from the environment',
  EMPTY: '',
  NESTED_ENV: 'env:TOKEN',
  NESTED_FILE: 'file:/etc/passwd',
  NESTED_LITERAL: 'literal:x',
  HASHED: `bcrypt:${HASH}`,
  'odd.name': 'odd',
};

const plain = (text: string) => ({ kind: 'plain', text });
const hash = (text: string) => ({ kind: 'bcrypt', text });

/** Each row: the value as written, what it gives as a secret, what it gives as a password. */
const values: [raw: string, secret: object | RegExp, password?: object | RegExp][] = [
  ['plain text', plain('plain text')],
  ['environment:x', plain('environment:x')],
  ['ENV:TOKEN', plain('ENV:TOKEN')],
  ['env:TOKEN', plain('from the environment')],
  ['env:odd.name', plain('odd')],
  ['env:MISSING', /^the environment variable MISSING is not set or empty$/],
  ['env:EMPTY', /^the environment variable EMPTY is not set or empty$/],
  ['env:', /^env: must be followed by the name of an environment variable/],
  ['env:constructor', /^the environment variable constructor is not set or empty$/],
  ['env:__proto__', /^the environment variable __proto__ is not set or empty$/],
  ['env:NESTED_ENV', plain('env:TOKEN')],
  ['env:NESTED_FILE', plain('file:/etc/passwd')],
  ['env:NESTED_LITERAL', plain('literal:x')],
  ['env:HASHED', plain(`bcrypt:${HASH}`), hash(HASH)],
  ['literal:env:TOKEN', plain('env:TOKEN')],
  ['literal:literal:x', plain('literal:x')],
  ['literal:bcrypt:x', plain('bcrypt:x')],
  ['literal:', /^the value is empty$/],
  [`bcrypt:${HASH}`, /^a bcrypt hash cannot serve as a secret/, hash(HASH)],
  [file('plain', 'abc'), plain('abc')],
  [file('newline', 'abc\n'), plain('abc')],
  [file('crlf', 'abc\r\n'), plain('abc')],
  [file('two newlines', 'abc\n\n'), plain('abc\n')],
  [file('spaces', ' abc \n'), plain(' abc ')],
  [file('several lines', 'a\nb\n'), plain('a\nb')],
  [file('nested', 'env:TOKEN\n'), plain('env:TOKEN')],
  [file('hashed', `bcrypt:${HASH}\n`), plain(`bcrypt:${HASH}`), hash(HASH)],
  [file('empty', ''), /is empty$/],
  [file('only newline', '\n'), /is empty$/],
  [file('bom', '\ufeffabc\n'), plain('abc')],
  [file('only bom', '\ufeff'), /is empty$/],
  [file('latin1', Buffer.from([0x70, 0xe4, 0x73])), /is not UTF-8 text$/],
  [file('large', Buffer.alloc(1024 * 1024 + 1, 'a')), /is larger than 1 MiB$/],
  [file('full', Buffer.alloc(1024 * 1024, 'a')), plain('a'.repeat(1024 * 1024))],
  [`file:${directory}/folder`, /folder" is not a regular file$/],
  [`file:${directory}/missing`, /missing" cannot be read: there is no such file$/],
  ['file:/dev/zero', /is not a regular file$/],
  ['file:', /^file: must be followed by the path of a file$/],
  ['file:/a\0b', /cannot be read: the system says ERR_INVALID_ARG_VALUE$/],
];

for (const [raw, secret, password = secret] of values) {
  for (const [use, expected] of [
    ['secret', secret],
    ['password', password],
  ] as const) {
    test(`${JSON.stringify(raw.slice(0, 60))} as a ${use}`, () => {
      const resolved = resolveValue(raw, { env }, use === 'password');
      if (!(expected instanceof RegExp)) return assert.deepEqual(resolved, expected);
      assert.ok(resolved.kind === 'problem');
      assert.match(resolved.message, expected);
    });
  }
}

test('no problem repeats what may be a value written where a name belongs', () => {
  for (const raw of ['env:sk-live-1234', 'env:hunter2 hunter2', 'bcrypt:hunter2']) {
    const resolved = resolveValue(raw, { env }, false);
    assert.ok(resolved.kind === 'problem');
    assert.doesNotMatch(resolved.message, /live|hunter2/);
  }
});

test('the variables of the real environment are its own, not those of every object', () => {
  assert.equal(resolveValue('env:toString', { env: process.env }, false).kind, 'problem');
});

test('a file that may not be read is distinguished from one that is not there', () => {
  assert.match(readFailure({ code: 'EACCES' }), /^permission denied; make it readable/);
  assert.equal(readFailure({ code: 'EIO' }), 'the system says EIO');
});
