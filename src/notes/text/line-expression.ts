/**
 * A regular expression whose `^` and `$` match the same lines as `vault_grep`: unlike JavaScript's,
 * they do not match at U+2028 and U+2029, nor after the last line end.
 */

const AFTER_LAST = '(?<!\\n(?![^]))';
const MEANT: Readonly<Record<string, string>> = {
  '^': `^(?<![\\u2028\\u2029])${AFTER_LAST}`,
  $: `$(?![\\u2028\\u2029])${AFTER_LAST}`,
  // A caller may write the line end of the file.
  '\\r\\n': '\\n',
  '\r\n': '\n',
};

/** Character classes, group names and escapes are matched whole, so they are left as they are. */
const PARTS =
  /\\r\\n(?![*+?{])|\r\n(?![*+?{])|\\k<[^>]*>|\\.|\(\?<[^=!>][^>]*>|\[(?:\\.|[^\]\\])*\]|[\^$]/gs;

/** Throws a SyntaxError that shows the original pattern. */
export function lineExpression(pattern: string): RegExp {
  new RegExp(pattern, 'gmu');
  return new RegExp(
    pattern.replace(PARTS, (part) => MEANT[part] ?? part),
    'gmu',
  );
}
