import assert from 'node:assert/strict';
import test from 'node:test';
import { displayText } from './display-text.ts';

const rows: [string, unknown, string | undefined][] = [
  ['an ordinary name', 'Claude Code', 'Claude Code'],
  ['other scripts', 'クロード 한국어 עברית', 'クロード 한국어 עברית'],
  ['a right-to-left override', 'safe\u202eexe', 'safeexe'],
  ['isolates and marks', '\u2066a\u2069\u200fb\u061c', 'ab'],
  ['zero-width characters', 'Cl\u200bau\ufeffde', 'Claude'],
  ['controls', 'a\u0000\u001b[31mb\u009f', 'a[31mb'],
  ['line breaks become one space', 'a\r\n\u2028 b', 'a b'],
  ['a lone surrogate', 'a\ud800b', 'ab'],
  ['too long', 'abcdefghijkl', 'abcdefghi…'],
  ['nothing that shows', '\u200b \u202e', undefined],
  ['not a text', { toString: () => 'x' }, undefined],
];
for (const [name, text, shown] of rows) {
  test(`a stranger's name is made fit to show: ${name}`, () => {
    assert.equal(displayText(text, name === 'too long' ? 10 : 80), shown);
  });
}
