import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseFolder, parseVaultPath } from './vault-path.ts';

const REFUSED: [string, string][] = [
  ['', 'path_invalid'],
  ['/etc/passwd', 'path_invalid'],
  ['..', 'path_invalid'],
  ['../x.md', 'path_invalid'],
  ['a/../../x.md', 'path_invalid'],
  ['a/..', 'path_invalid'],
  ['./x.md', 'path_invalid'],
  ['a//b.md', 'path_invalid'],
  ['a/', 'path_invalid'],
  ['a\\b.md', 'path_invalid'],
  ['..\\x.md', 'path_invalid'],
  ['a\0.md', 'path_invalid'],
  ['a\n.md', 'path_invalid'],
  ['a\x7f.md', 'path_invalid'],
  ['a\ud800.md', 'path_invalid'],
  ['a\ufffd.md', 'path_invalid'],
  [`${'x'.repeat(256)}`, 'path_invalid'],
  [`${'é'.repeat(128)}`, 'path_invalid'],
  [`${'x/'.repeat(600)}x`, 'path_invalid'],
  ['.git/config', 'path_hidden'],
  ['.GIT/config', 'path_hidden'],
  ['.notes/index.db', 'path_hidden'],
  ['.hidden.md', 'path_hidden'],
  ['a/.obsidian/x.md', 'path_hidden'],
  ['...', 'path_hidden'],
  ['\u200c.git/config', 'path_hidden'],
  ['git~1', 'path_hidden'],
  ['git~1/x.md', 'path_hidden'],
  ['a/GIT~1/x.md', 'path_hidden'],
  ['Git~1. ./x.md', 'path_hidden'],
  ['git~1:x.md', 'path_hidden'],
  ['git~1 :x/y.md', 'path_hidden'],
];
for (const [path, code] of REFUSED) {
  test(`${JSON.stringify(path.slice(0, 30))} is ${code}`, () => {
    assert.throws(() => parseVaultPath(path), { code });
  });
}

const ACCEPTED = [
  'x.md',
  'a/b/c.md',
  '-x.md',
  '*.md',
  ':(glob)a.md',
  '%2e%2e/x.md',
  'a b.md',
  '日本語/ノート.md',
  'cafe\u0301.md',
  `${'x'.repeat(255)}`,
  'a..b.md',
  '~/x.md',
  'C:x.md',
  'git~1.md',
  'git~10/x.md',
  'a git~1/x.md',
];
for (const path of ACCEPTED) {
  test(`${JSON.stringify(path.slice(0, 30))} is a path`, () => {
    assert.equal(parseVaultPath(path), path);
  });
}

test('a folder may end in a slash, and none at all is the vault', () => {
  assert.equal(parseFolder('a/b/'), 'a/b');
  assert.equal(parseFolder(''), '');
  assert.equal(parseFolder('/'), '');
  assert.throws(() => parseFolder('//'), { code: 'path_invalid' });
  assert.throws(() => parseFolder('/etc/'), { code: 'path_invalid' });
  assert.throws(() => parseFolder('.git/'), { code: 'path_hidden' });
});

test('whatever is accepted stays below the directory it is joined to', () => {
  const piece = fc.constantFrom('..', '.', '/', 'a', '\\', '%2e', '\0', ' ', 'é', '.git');
  fc.assert(
    fc.property(
      fc.array(piece).map((pieces) => pieces.join('')),
      (input) => {
        let path: string;
        try {
          path = parseVaultPath(input);
        } catch {
          return;
        }
        const resolved = new URL(
          path.split('/').map(encodeURIComponent).join('/'),
          'file:///vault/',
        );
        assert.ok(resolved.pathname.startsWith('/vault/'));
        assert.ok(path.split('/').every((segment) => !segment.startsWith('.')));
      },
    ),
  );
});
