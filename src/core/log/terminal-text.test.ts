import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terminalText } from './terminal-text.ts';

const rows: [what: string, text: string, shown: string][] = [
  ['plain text in any script', 'Grüße, 世界 🙂 "quoted" \\n', 'Grüße, 世界 🙂 "quoted" \\n'],
  ['an escape sequence', 'a\x1b[31mred\x1b]0;title\x07', 'a\\u001b[31mred\\u001b]0;title\\u0007'],
  ['a control sequence of one byte', 'a\x9b31m', 'a\\u009b31m'],
  ['line breaks and tabs', 'a\r\nb\tc\u2028d\u2029e', 'a\\u000d\\u000ab\\u0009c\\u2028d\\u2029e'],
  ['a backspace and a NUL', 'a\b\0\x7f', 'a\\u0008\\u0000\\u007f'],
  ['a change of direction', '\u202egpj.exe\u2066\u061c', '\\u202egpj.exe\\u2066\\u061c'],
  ['what cannot be seen', 'a\u200bb\ufeffc\u{e0041}', 'a\\u200bb\\ufeffc\\u{e0041}'],
  ['half of a character', 'a\ud83d', 'a\\ud83d'],
];
for (const [what, text, shown] of rows) {
  test(`shown as what it is: ${what}`, () => assert.equal(terminalText(text), shown));
}

test('a long text is cut', () => {
  assert.equal(terminalText('abcdef', 4), 'abc…');
  assert.equal(terminalText('abcd', 4), 'abcd');
});
