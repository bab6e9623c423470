import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathProblem } from '../files/vault-path.ts';
import { nameOfTitle } from './name-of-title.ts';

const ROWS: [title: string, name: string][] = [
  ['Plain title', 'Plain title'],
  ['Fig: a/b?', 'Fig a b'],
  ['[[note|label]] and [text](u.md)', 'label and text'],
  ['a `code` #tag', 'a code tag'],
  ['\u200b.NET notes', 'NET notes'],
  [' . \ufeff.x. ', 'x'],
  ['e\u0301', '\u00e9'],
  ['\ud800a\0b', 'a b'],
  ['あ'.repeat(400), 'あ'.repeat(66)],
  ['../..', 'Untitled'],
  ['\u200b', 'Untitled'],
];

test('a title is a name as far as it can be one, and always some name', () => {
  for (const [title, name] of ROWS) {
    assert.equal(nameOfTitle(title, 'Untitled'), name);
    assert.equal(pathProblem(`${name}.md`), undefined);
  }
});

test('a heading of a megabyte gives a name in linear time', () => {
  assert.equal(nameOfTitle(`a${'.'.repeat(1_000_000)}x`, 'otherwise'), 'a');
});
