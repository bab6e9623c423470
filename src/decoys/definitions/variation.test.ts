import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '../../core/secrets/secret.ts';
import { Draw } from '../persona/draw.ts';
import { parseVariation, vary } from './variation.ts';

/** What a hundred deployments make of a body. */
function made(text: string): string[] {
  const region = parseVariation(text);
  assert.ok(!('problem' in region));
  return Array.from({ length: 100 }, (_, index) =>
    vary(region, 'x', new Draw(new Secret('decoys key', `one of a hundred: ${index}`))),
  );
}

const sorted = (text: string) => text.split('\n').sort().join('\n');

test('shuffle keeps all lines, in an order of the key', () => {
  const all = made('first\n{{shuffle}}\na\nb\nc\n{{end}}\nlast');
  assert.equal(new Set(all).size, 6);
  assert.ok(all.every((text) => /^first\n.*\nlast$/s.test(text)));
  assert.deepEqual([...new Set(all.map(sorted))], ['a\nb\nc\nfirst\nlast']);
});

test('some keeps at least half, and whatever holds a honeytoken', () => {
  const all = made('{{some}}\na\nb\nc\nd {{token}}\n{{end}}').map((text) => text.split('\n'));
  assert.ok(all.every((lines) => lines.length >= 2 && lines.includes('d {{token}}')));
  assert.ok(all.some((lines) => lines.length === 4) && all.some((lines) => lines.length === 2));
});

test('one keeps one', () => {
  assert.deepEqual(new Set(made('{{one}}\na\nb\n{{end}}')), new Set(['a', 'b']));
});

test('deeper and closing lines stay below theirs', () => {
  const all = new Set(made('{{shuffle}}\na {\n  1\n}\nb\n{{end}}'));
  assert.deepEqual(all, new Set(['a {\n  1\n}\nb', 'b\na {\n  1\n}']));
});

test('an end tag of XML stays with its element', () => {
  const all = new Set(made('{{shuffle}}\n<a>\n  <b/>\n</a>\n<c/>\n{{end}}'));
  assert.deepEqual(all, new Set(['<a>\n  <b/>\n</a>\n<c/>', '<c/>\n<a>\n  <b/>\n</a>']));
});

test('a deeper region stays below its line', () => {
  const all = new Set(made('{{shuffle}}\na:\n  {{shuffle}}\n  1\n  2\n  {{end}}\nb\n{{end}}'));
  const orders = ['a:\n  1\n  2', 'a:\n  2\n  1'];
  assert.deepEqual(all, new Set(orders.flatMap((a) => [`${a}\nb`, `b\n${a}`])));
});

test('blocks are divided by empty lines, and vary within', () => {
  const all = new Set(made('{{shuffle}}\n{{one}}\na\nb\n{{end}}\nc\n\nd\n{{end}}'));
  assert.deepEqual(all, new Set(['a\nc\n\nd', 'b\nc\n\nd', 'd\n\na\nc', 'd\n\nb\nc']));
});

test('JSON stays JSON', () => {
  const all = made('{\n  {{some}}\n  "a": 1,\n  "b": {\n    "c": 2\n  },\n  "d": 3\n  {{end}}\n}');
  assert.ok(new Set(all).size > 6);
  for (const text of all) assert.ok(Object.keys(JSON.parse(text)).length >= 2, text);
});

for (const [text, problem] of [
  ['{{some}}\na', /without \{\{end\}\}/],
  ['a\n{{end}}', /without a beginning/],
  [`${'{{one}}\n'.repeat(4)}a\n${'{{end}}\n'.repeat(4)}`, /in each other/],
] as const) {
  test(`${JSON.stringify(text)} is refused with a reason`, () => {
    const region = parseVariation(text);
    assert.match('problem' in region ? region.problem : '', problem);
  });
}
