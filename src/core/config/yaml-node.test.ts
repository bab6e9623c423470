import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { formatProblem, Problems } from './problems.ts';
import { parseYaml, type YamlNode } from './yaml-node.ts';

/** Reads a document with `read` and gives what was read and every problem as a line. */
function reading<T>(text: string, read: (root: YamlNode) => T): { value?: T; lines: string[] } {
  const problems = new Problems();
  const root = parseYaml(text, 'f', problems);
  const value = root && read(root);
  const lines = problems.errors.map(formatProblem);
  return value === undefined ? { lines } : { value, lines };
}

const SECRET = 'hunter2';

/** Deeper than any stack. */
const DEEP = propertyRuns(100_000);

/** Texts that are not YAML. Each holds a secret near the error, which no message may repeat. */
const invalid: [name: string, text: string, line: string][] = [
  ['a tab', `a:\n\tb: ${SECRET}`, 'f:2: not valid YAML: a tab used as indentation; use spaces'],
  ['an open quote', `a: "${SECRET}\nb: c`, 'f:2: not valid YAML: a quote, bracket, colon'],
  ['an open bracket', `a: [${SECRET}\nb: c`, 'f:2: not valid YAML: '],
  ['a second colon', `a: ${SECRET}: x`, 'f:1: not valid YAML: a nested value where a key is'],
  ['an at sign', `a: @${SECRET}`, 'f:1: not valid YAML: a value cannot begin with this character'],
  ['a bad escape', `a: "\\q${SECRET}"`, 'f:1: not valid YAML: an unknown escape'],
  ['a missing anchor', `a: *${SECRET}`, 'f:1: not valid YAML: an alias without its anchor'],
  ['a late anchor', `a: *x\nb: &x ${SECRET}`, 'f:1: not valid YAML: an alias without its anchor'],
  ['two documents', `a: b\n---\n${SECRET}: x`, 'f:2: not valid YAML: more than one document'],
  ['a function', `a: !!js/function "${SECRET}"`, 'f:1: not valid YAML: a tag that is not known'],
  ['binary', `a: !!binary ${SECRET}`, 'f:1: not valid YAML: a tag that is not known'],
  ['a custom tag', `a: !${SECRET} x`, 'f:1: not valid YAML: a tag that is not known'],
  ['a list that is a map', `- a\nb: ${SECRET}`, 'f:2: not valid YAML: '],
  ['a bad directive', `%YAML ${SECRET}\n---\na: b`, 'f:1: not valid YAML: '],
  ['deep lists', '['.repeat(DEEP), 'f:1: not valid YAML: values nested too deeply'],
  ['deep maps', '{a: '.repeat(DEEP), 'f:1: not valid YAML: values nested too deeply'],
  ['deep blocks', '- '.repeat(DEEP), 'f:1: not valid YAML: values nested too deeply'],
];
for (const [name, text, line] of invalid) {
  test(`${name} is a problem with its line, in our own words`, () => {
    const { value, lines } = reading(text, () => 'read');
    assert.equal(value, undefined);
    assert.ok(lines[0]?.startsWith(line), lines[0]);
    assert.doesNotMatch(lines.join('\n'), new RegExp(SECRET));
  });
}

test('each line with an error is reported, and each once', () => {
  const { lines } = reading('a: @x @y\nb: c\nd: `z `y\n', () => 1);
  assert.deepEqual(
    lines.map((line) => line.slice(0, 4)),
    ['f:1:', 'f:3:'],
  );
});

test('a byte order mark, CRLF, comments and quotes change nothing', () => {
  const { value, lines } = reading('\ufeff# hello\r\na: "b"\r\nc: |\r\n  d\r\n', (root) =>
    root.entries().map(([name, node]) => [name, node.string()]),
  );
  assert.deepEqual(lines, []);
  assert.deepEqual(value, [
    ['a', 'b'],
    ['c', 'd\n'],
  ]);
});

test('an anchor stands for its value wherever it is used, and the last one before wins', () => {
  const { value, lines } = reading('a: &x [1]\nb: *x\nc: &x [2]\nd: *x\n', (root) =>
    root.entries().map(([, node]) => node.items()[0]?.integer(0, 9)),
  );
  assert.deepEqual(lines, []);
  assert.deepEqual(value, [1, 1, 2, 2]);
});

test('aliases that expand to billions are refused after a bounded number of values', () => {
  const levels = Array.from({ length: 12 }, (_, i) => {
    const items = Array(12).fill(i === 0 ? 'x' : `*a${i - 1}`);
    return `l${i}: &a${i} [${items.join(', ')}]`;
  });
  let leaves = 0;
  function walk(node: YamlNode, depth: number): void {
    if (depth === 12) leaves += 1;
    else for (const item of node.items()) walk(item, depth + 1);
  }
  const { lines } = reading(levels.join('\n'), (root) => {
    const [, last] = root.entries().at(-1)!;
    walk(last, 0);
  });
  assert.ok(leaves <= 200_000);
  assert.match(lines[0]!, /expands to too many values; use fewer aliases$/);
});

test('an alias within its own anchor is read no deeper than it is asked for', () => {
  const { value } = reading('a: &a [*a]', (root) => root.entries()[0]![1].items()[0]!.items());
  assert.equal(value?.length, 1);
});

test('many aliases and many keys cost no more than their number', () => {
  const aliases = `x: &x 1\nl: [${Array(20_000).fill('*x').join(', ')}]\n`;
  const keys = `m: {${Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join(', ')}}`;
  const { value } = reading(aliases + keys, (root) => {
    const fields = root.fields(['x', 'l', 'm']);
    return fields!.l!.items().length + fields!.m!.entries().length;
  });
  assert.equal(value, 40_000);
});

/** Each row: a document, how it is read, the problems that come of it. */
const readings: [text: string, read: (root: YamlNode) => unknown, lines: string[]][] = [
  [
    'a: 1\nb: 2\na: 3',
    (r) => r.entries(),
    ['f:3: a: the key is defined twice in its map; keep one'],
  ],
  ['<<: {a: 1}', (r) => r.entries(), ['f:1: …: merge keys are not read; write the keys out']],
  [
    '[a]: 1',
    (r) => r.entries(),
    ['f:1: a key must be plain text, followed by a colon and a value'],
  ],
  [
    '{a hunter2}',
    (r) => r.entries(),
    ['f:1: a key must be plain text, followed by a colon and a value'],
  ],
  [
    'a: "b\n  c: hunter2"',
    (r) => one(r).boolean(),
    ['f:1: a: must be true or false, not a text of several lines'],
  ],
  ['text', (r) => r.entries(), ['f:1: must be a map of keys and values, not text']],
  [
    'nam: 1\nvery:\n  long: x',
    (r) => r.fields(['name', 'age']),
    [
      'f:1: nam: unknown key (did you mean "name"?); known are name, age',
      'f:2: very: unknown key; known are name, age',
    ],
  ],
  ['"a\\nb\\u001b": 1', (r) => r.fields(['x']), ['f:1: …: unknown key; known are x']],
  [
    'a: x',
    (r) => r.entries()[0]![1].items(),
    ['f:1: a: must be a list, not text; begin each item with "- "'],
  ],
  ['a: 12', (r) => one(r).string(), ['f:1: a: must be text, not 12; put it into quotes']],
  ['a: true', (r) => one(r).string(), ['f:1: a: must be text, not true; put it into quotes']],
  ['a:', (r) => one(r).string(), ['f:1: …: must be text, not nothing']],
  ['a:', (r) => r.fields(['a'])?.a?.string(), ['f:1: a: must be text, not nothing']],
  [
    'a:\n  hunter2',
    (r) => one(r).boolean(),
    ['f:1: a: must be true or false, not a text on another line'],
  ],
  [
    '{b: &x hunter2, a: *x}',
    (r) => r.entries()[1]![1].boolean(),
    ['f:1: a: must be true or false, not a text that is elsewhere'],
  ],
  [
    'a: hunter2\nb: hunter2',
    (r) => [one(r).boolean(), r.entries()[1]![1].sensitiveString()],
    ['f:1: a: must be true or false, not "[REDACTED]"'],
  ],
  ['a:\n  - b', (r) => one(r).string(), ['f:1: a: must be text, not a list']],
  [
    'a: B',
    (r) => one(r).string({ pattern: /^[a-z]$/, expected: 'a letter' }),
    ['f:1: a: "B" is not a letter'],
  ],
  [
    'a: 12',
    (r) => one(r).sensitiveString(),
    ['f:1: a: must be text, not a number; put it into quotes'],
  ],
  ['a: yes\nb: 1', (r) => one(r).sensitiveString(), []],
  [
    'a: false',
    (r) => one(r).sensitiveString(),
    ['f:1: a: must be text, not true or false; put it into quotes'],
  ],
  ['a: ""', (r) => one(r).sensitiveString(), ['f:1: a: is empty']],
  ['a: ~', (r) => one(r).sensitiveString(), ['f:1: …: must be text, not nothing']],
  ['a: {b: c}', (r) => one(r).sensitiveString(), ['f:1: a: must be text, not a map']],
  ['a: 30', (r) => one(r).parsed(() => 1, 'a duration'), ['f:1: a: must be a duration, not 30']],
  ['a: x', (r) => one(r).parsed(() => undefined, 'a rate'), ['f:1: a: "x" is not a rate']],
  ['a: 0', (r) => one(r).integer(1, 9), ['f:1: a: must be a whole number from 1 to 9, not 0']],
  ['a: 1.5', (r) => one(r).integer(1, 9), ['f:1: a: must be a whole number from 1 to 9, not 1.5']],
  ['a: .nan', (r) => one(r).integer(1, 9), ['f:1: a: must be a whole number from 1 to 9, not NaN']],
  ['a: "5"', (r) => one(r).integer(1, 9), ['f:1: a: must be a whole number from 1 to 9, not "5"']],
  ['a: yes', (r) => one(r).boolean(), ['f:1: a: must be true or false, not "yes"']],
  ['a: 1', (r) => one(r).boolean(), ['f:1: a: must be true or false, not 1']],
  ['%YAML 1.1\n---\na: yes', (r) => one(r).boolean(), ['f:3: a: must be true or false, not "yes"']],
];
for (const [text, read, expected] of readings) {
  test(`${JSON.stringify(text)} reads as ${expected[0] ?? 'it should'}`, () => {
    assert.deepEqual(reading(text, read).lines, expected);
  });
}

test('a key is what was written, not what YAML makes of it', () => {
  const { value } = reading('007: a\ntrue: b\n~: c\n1e3: d\n', (root) =>
    root.entries().map(([name]) => name),
  );
  assert.deepEqual(value, ['007', 'true', '~', '1e3']);
});

test('no text makes the reader throw', () => {
  const word = fc.constantFrom(
    ...['a', ':', ' ', '\n', '  ', '- ', '{', '}', '[', ']', ',', '"', "'", '&x', '*x', '!!str'],
    ...['|', '>', '#', '?', '%', '@', '`', '\t', '---', '...', '<<: ', 'null', '1', '\ufeff', '\r'],
  );
  const text = fc.array(fc.oneof(word, fc.string()), { maxLength: 40 }).map((w) => w.join(''));
  fc.assert(
    fc.property(text, (yaml) => {
      reading(yaml, (root) => {
        for (const [, node] of root.entries()) node.items();
        root.items();
        root.sensitiveString();
      });
    }),
    { numRuns: propertyRuns(500) },
  );
});

function one(root: YamlNode): YamlNode {
  return root.entries()[0]![1];
}
