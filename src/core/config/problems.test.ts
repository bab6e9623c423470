import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatProblem, Problems, quote, quoteUrl, suggestion } from './problems.ts';

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
  ['two\u001b[2J', '"two\\u001b[2J"'],
  ['\u202ebidi\u0085', '"\\u202ebidi\\u0085"'],
  ['bidi\ufeffbidi', '"bidi…"'],
  ['line break\n', '"line break…"'],
  ['12 hours', '"12 hours"'],
  ['alice password: hunter2', '"alice password…"'],
  ['line\n', '"line…"'],
  [' \t', '" …"'],
  ['alice    password hunter2', '"alice…"'],
  ['alice\u3000hunter2', '"alice…"'],
  ['alice,password:hunter2', '"alice…"'],
  ['alice"password":"hunter2', '"alice…"'],
  ["' hunter2", '"…"'],
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

/** Each is added before the value at its side is known to be sensitive. */
const withheld: [message: string, sensitive: string, shown: string][] = [
  ['"hunter2" is not a name', 'hunter2', '"[REDACTED]" is not a name'],
  ['"x" is not a name', 'x', '"[REDACTED]" is not a name'],
  ['"hunter2…" is not a name', 'hunter2', '"[REDACTED]" is not a name'],
  ['"https://a/hunter2" is not', 'hunter2', '"[REDACTED]" is not'],
  ['"hunter2" is not a name', 'Bearer hunter2', '"[REDACTED]" is not a name'],
  ['"a\\"b" is not a name', 'a"b', '"[REDACTED]" is not a name'],
  ['"/v1/**x" is not a path', 'v1', '"/v1/**x" is not a path'],
  ['"v1" is not a path', 'v1', '"[REDACTED]" is not a path'],
  ['"v1…" is not a path', 'v1', '"[REDACTED]" is not a path'],
  ['"ab" is not a name', 'Bearer ab', '"ab" is not a name'],
  ['password: "a" is not', 'password', 'password: "a" is not'],
  ['an odd " quote \\q "hunter2"', 'hunter2', 'an odd " quote \\q "[REDACTED]"'],
  ['"hunter2" is no JSON: "\\N"', 'hunter2', '"[REDACTED]" is no JSON: "\\N"'],
];
for (const [message, sensitive, shown] of withheld) {
  test(`where ${sensitive} is sensitive, ${message} is shown as ${shown}`, () => {
    const problems = new Problems();
    problems.add({ file: 'f', message });
    problems.warn({ file: 'f', message });
    problems.withhold(sensitive);
    const messages = [...problems.errors, ...problems.warnings].map((problem) => problem.message);
    assert.deepEqual(messages, [shown, shown]);
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
