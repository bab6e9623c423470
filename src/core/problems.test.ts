import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatProblem, quote, quoteUrl, suggestion } from './problems.ts';

test('a problem says file, line, key and message, as far as it has them', () => {
  const message = 'is wrong';
  assert.equal(formatProblem({ file: 'a.yaml', message }), 'a.yaml: is wrong');
  assert.equal(formatProblem({ file: 'a.yaml', line: 3, message }), 'a.yaml:3: is wrong');
  assert.equal(
    formatProblem({ file: 'a.yaml', line: 3, key: 'b.c', message }),
    'a.yaml:3: b.c: is wrong',
  );
});

const quoted: [value: string, quoted: string][] = [
  ['plain', '"plain"'],
  ['two\nlines\u001b[2J', '"two\\nlines\\u001b[2J"'],
  ['\u202ebidi \u0085 \ufeff', '"\\u202ebidi \\u0085 \\ufeff"'],
  ['x'.repeat(100), `"${'x'.repeat(80)}…"`],
  ['alice@example.com', '"alice@example.com"'],
  ['https://user:pass@host/', '"https://[REDACTED]@host/"'],
  ['https://token@host/', '"https://[REDACTED]@host/"'],
  ['HTTPS://user:p/a?s#s@host/', '"HTTPS://[REDACTED]@host/"'],
  ['http:/user:pass@host', '"[REDACTED]@host"'],
  ['user:pass@host', '"[REDACTED]@host"'],
  ['https://user:p@ss\nword@host', '"https://[REDACTED]@host"'],
  [`https://user:${'p'.repeat(200)}@host`, '"https://[REDACTED]@host"'],
];
for (const [value, expected] of quoted) {
  test(`${JSON.stringify(value.slice(0, 40))} is quoted as ${expected.slice(0, 40)}`, () => {
    assert.equal(quote(value), expected);
  });
}

const urls: [value: string, quoted: string][] = [
  ['https://host/path', '"https://host/path"'],
  ['https://host/path?key=secret#x', '"https://host/path?…"'],
  ['https://host/#secret', '"https://host/#…"'],
  ['https://host/path?', '"https://host/path?"'],
  ['https://user:p@host/path?key=secret', '"https://[REDACTED]@host/path?…"'],
  ['https://user:p?q@host/path?key=secret', '"[REDACTED]"'],
  ['https://host/?mail=a@b&key=secret', '"[REDACTED]"'],
  ['token@host', '"[REDACTED]@host"'],
];
for (const [value, expected] of urls) {
  test(`the URL ${value} is quoted as ${expected}`, () => {
    assert.equal(quoteUrl(value), expected);
  });
}

const suggestions: [name: string, known: string[], suggestion: string][] = [
  ['pasword', ['name', 'password'], ' (did you mean "password"?)'],
  ['PASSWORD', ['name', 'password'], ' (did you mean "password"?)'],
  ['base-url', ['base_url'], ' (did you mean "base_url"?)'],
  ['target', ['targets', 'secrets'], ' (did you mean "targets"?)'],
  ['colour', ['name', 'password'], ''],
  ['', ['name'], ''],
  ['x'.repeat(100_000), ['name'], ''],
];
for (const [name, known, expected] of suggestions) {
  test(`${name.slice(0, 20) || 'nothing'} suggests${expected || ' nothing'}`, () => {
    assert.equal(suggestion(name, known), expected);
  });
}
