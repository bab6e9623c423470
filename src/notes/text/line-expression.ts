/**
 * A regular expression for a text with folded line ends whose `^` and `$` mean the lines that people
 * and `vault_grep` see: not those that JavaScript adds at U+2028 and U+2029, and none after the
 * last line end.
 */

const AFTER_LAST = '(?<!\\n(?![^]))';
const MEANT: Readonly<Record<string, string>> = {
  '^': `^(?<![\\u2028\\u2029])${AFTER_LAST}`,
  $: `$(?![\\u2028\\u2029])${AFTER_LAST}`,
  // A line end, where somebody spells it as his file has it.
  '\\r\\n': '\\n',
  '\r\n': '\n',
};

/** In classes, in names of groups and behind a backslash the marks mean themselves. */
const PARTS =
  /\\r\\n(?![*+?{])|\r\n(?![*+?{])|\\k<[^>]*>|\\.|\(\?<[^=!>][^>]*>|\[(?:\\.|[^\]\\])*\]|[\^$]/gs;

/** Throws a SyntaxError, which shows the pattern as it was given. */
export function lineExpression(pattern: string): RegExp {
  new RegExp(pattern, 'gmu');
  return new RegExp(
    pattern.replace(PARTS, (part) => MEANT[part] ?? part),
    'gmu',
  );
}
