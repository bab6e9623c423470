import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { formatProblem, Problems } from '../../core/config/problems.ts';
import { builtIns } from './built-in.ts';
import { readBuiltIn, readDecoyFile } from './definition.ts';
import { parsePathPattern } from './path-pattern.ts';
import { PLACEHOLDERS } from './placeholders.ts';

function read(text: string) {
  const problems = new Problems();
  const definitions = readDecoyFile(text, 'decoys.yaml', problems);
  return { definitions, problems: problems.errors.map(formatProblem) };
}

const one = (fields: string) => `decoys:\n  - tag: mine\n    paths: [/mine]\n${fields}`;

test('a decoy has a tag and paths, and answers GET with 200 unless it says more', () => {
  const { definitions, problems } = read(one('    body: "{{token}}"\n'));
  assert.deepEqual(problems, []);
  const [decoy] = definitions;
  assert.deepEqual(
    [decoy?.tag, decoy?.methods, decoy?.status, decoy?.isFile, decoy?.body],
    ['mine', ['GET'], 200, false, ['', 'token', '']],
  );
});

for (const [what, text, problem] of [
  ['no list', 'a: 1', /unknown key/],
  ['no YAML', '{', /decoys.yaml:1/],
  ['no tag', 'decoys: [{paths: [/x]}]', /tag is missing/],
  ['a tag with spaces', 'decoys: [{tag: "a b", paths: [/x]}]', /"a b" is not a tag/],
  ['the tag of uses', 'decoys: [{tag: honeytoken-used, paths: [/x]}]', /tag of uses/],
  ['no path', 'decoys: [{tag: mine}]', /paths is missing/],
  ['a relative path', 'decoys: [{tag: mine, paths: [x]}]', /"x" is not a path/],
  ['an unknown key', one('    bodi: x\n'), /unknown key \(did you mean "body"\?\)/],
  ['an unknown method', one('    methods: [GETT]\n'), /did you mean "GET"/],
  ['a status of no answer', one('    status: 101\n'), /from 200 to 599/],
  ['a body without a right to one', one('    status: 204\n    body: x\n'), /204 has no body/],
  ['an unknown placeholder', one('    body: "{{tokn}}"\n'), /"tokn" is not a placeholder/],
  ['an expression', one('    body: "{{token|upper}}"\n'), /is not a placeholder/],
  ['a header that is two', one('    headers: {X: "a\\r\\nSet-Cookie: b"}\n'), /one line/],
  ['a header with a null', one('    headers: {X: "a\\0"}\n'), /one line/],
  ['a header beyond ASCII', one('    headers: {X: é}\n'), /printable ASCII/],
  ['a header name with a colon', one('    headers: {"X:": a}\n'), /not the name of a header/],
  ['a length', one('    headers: {Content-Length: "3"}\n'), /set by the server/],
  ['an archive without files', one('    archive: zip\n'), /belong together/],
  ['an archive of no known form', one('    archive: rar\n    files: {a: b}\n'), /not one of zip/],
  [
    'a file outside of the archive',
    one('    archive: zip\n    files: {../a: b}\n'),
    /relative path/,
  ],
  ['a region without an end', one('    body: "{{some}}\\na"\n'), /without \{\{end\}\}/],
  ['a large body', one(`    body: ${'x'.repeat(70_000)}\n`), /64 KiB/],
] as const) {
  test(`a file with ${what} is refused with a reason`, () => {
    const { problems } = read(text);
    assert.match(problems.join('\n'), problem);
  });
}

for (const [pattern, path, isMatch] of [
  ['/a', '/a', true],
  ['/a', '/a/', false],
  ['/A', '/a', true],
  ['/*.sql', '/dump.sql', true],
  ['/*.sql', '/.sql', false],
  ['/*.sql', '/a/dump.sql', false],
  ['/a/*', '/a/b', true],
  ['/a/*', '/a/', false],
  ['/a/*', '/a/..', false],
  ['/**/x', '/x', true],
  ['/**/x', '/a/b/x', true],
  ['/**/x', '/ax', false],
  ['/a.b', '/axb', false],
] as const) {
  test(`${pattern} ${isMatch ? 'matches' : 'does not match'} ${path}`, () => {
    assert.equal(parsePathPattern(pattern)?.matches(path), isMatch);
  });
}

for (const text of ['a', '/a?b', '/a#b', '/a b', '//a', '/**/a/**/b', '/a/**', '/*a*b*c', '/a\n']) {
  test(`${JSON.stringify(text)} is no path pattern`, () => {
    assert.equal(parsePathPattern(text), undefined);
  });
}

test('the ids of the built-in files are even, and no two files share one', () => {
  const ids = builtIns().map(({ id }) => id);
  assert.ok(ids.length > 0 && ids.every((id) => id % 2 === 0));
  assert.equal(new Set(ids).size, ids.length);
});

test('docs/decoys.md has every placeholder with its meaning', () => {
  const text = readFileSync(new URL('../../../docs/decoys.md', import.meta.url), 'utf8');
  for (const [name, meaning] of Object.entries(PLACEHOLDERS)) {
    assert.ok(text.includes(`| \`{{${name}}}\` | ${meaning} |`), name);
  }
});

test('the JSON of the built package is read as the YAML that it is made of', () => {
  const folder = new URL('../built-in/', import.meta.url);
  for (const name of readdirSync(folder)) {
    const problems = new Problems();
    const text = readFileSync(new URL(name, folder), 'utf8');
    const json = JSON.stringify(parse(text, { schema: 'core', merge: false }));
    const fromYaml = readBuiltIn(text, name, problems);
    const fromJson = readBuiltIn(json, name.replace('.yaml', '.json'), problems);
    assert.deepEqual(problems.errors, []);
    assert.ok(fromYaml && fromYaml.decoys.length > 0);
    assert.deepEqual(JSON.parse(JSON.stringify(fromJson)), JSON.parse(JSON.stringify(fromYaml)));
  }
});
