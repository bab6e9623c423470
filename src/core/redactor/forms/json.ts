/**
 * How JSON encoders and string literals write a text.
 *
 * The same value leaves Python, PHP, Go and .NET in different spellings; each row below is
 * the default, or a common flag, of an encoder in wide use. Hexadecimal digits are written
 * in lower case here: matching folds case.
 */
import type { Encode } from './escapes.ts';

interface JsonStyle {
  /** `/` becomes `\/`. */
  readonly slash?: boolean;
  /** Everything outside ASCII becomes `\uXXXX`, by UTF-16 unit. */
  readonly ascii?: boolean;
  /** These characters become `\uXXXX` although JSON does not ask for it. */
  readonly hex?: string;
  /** Control characters become `\u000a` where most encoders write `\n`. */
  readonly longControls?: boolean;
  /** `'` becomes `\'`, as in JavaScript and PHP string literals. */
  readonly apostrophe?: boolean;
}

const SHORT = new Map([
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['"', '\\"'],
  ['\\', '\\\\'],
]);

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function jsonEncoder(style: JsonStyle): Encode {
  const hex = new Set(style.hex ?? '');
  const escapeUnit = (unit: string): string => {
    if (hex.has(unit)) return unicodeEscape(unit);
    if (unit < ' ') {
      return (style.longControls ? undefined : SHORT.get(unit)) ?? unicodeEscape(unit);
    }
    if (unit === '/') return style.slash ? '\\/' : unit;
    if (unit === "'") return style.apostrophe ? "\\'" : unit;
    if (unit > '~') return style.ascii ? unicodeEscape(unit) : unit;
    return SHORT.get(unit) ?? unit;
  };
  return (text) => text.replace(/[^A-Za-z0-9]/g, escapeUnit);
}

/** Every sign of ASCII, the blank among them, without those that are named. */
const signsBut = (kept: string): string =>
  Array.from({ length: 96 }, (_, index) => String.fromCharCode(32 + index))
    .filter((char) => !/[A-Za-z0-9]/.test(char) && !kept.includes(char))
    .join('');

const GO = '<>&\u2028\u2029';
const PHP_HEX = '<>&\'"';
const DOT_NET = '<>&\'"+`\u007f';

/** `JSON.stringify` without the quotes: only what JSON demands. */
export const jsonPlain = jsonEncoder({});
/** PHP's default, which is also the widest of the common ones. */
export const jsonPhp = jsonEncoder({ slash: true, ascii: true });
/** Go's and Rails' default, safe inside HTML. */
export const jsonGo = jsonEncoder({ hex: GO });
/** Python's default. */
export const jsonPython = jsonEncoder({ ascii: true });

/** .NET's default, which escapes even the `+` of base64. */
export const jsonDotNet = jsonEncoder({ hex: DOT_NET, ascii: true });

export const jsonEncoders: readonly Encode[] = [
  jsonPlain,
  jsonPython,
  jsonPhp,
  jsonGo,
  jsonEncoder({ slash: true }),
  jsonEncoder({ hex: GO, ascii: true }),
  jsonEncoder({ hex: GO, slash: true }),
  jsonEncoder({ hex: "<>&'" }),
  jsonEncoder({ hex: "<>&'", ascii: true }),
  jsonEncoder({ hex: PHP_HEX }),
  jsonEncoder({ hex: PHP_HEX, ascii: true }),
  jsonEncoder({ hex: PHP_HEX, slash: true }),
  jsonEncoder({ hex: PHP_HEX, slash: true, ascii: true }),
  jsonDotNet,
  jsonEncoder({ hex: `${DOT_NET}/`, ascii: true }),
  jsonEncoder({ longControls: true }),
  jsonEncoder({ longControls: true, ascii: true }),
  jsonEncoder({ apostrophe: true }),
  jsonEncoder({ apostrophe: true, slash: true }),
  // Gson's default.
  jsonEncoder({ hex: `${GO}='` }),
  // The `escapejs` of Django, and the same of Twig.
  jsonEncoder({ hex: `${GO}='"\\-;\``, longControls: true }),
  jsonEncoder({ hex: signsBut(',._/\\'), slash: true, ascii: true }),
  // Whatever is no letter or digit, as the most careful do.
  jsonEncoder({ hex: signsBut(''), longControls: true }),
  jsonEncoder({ hex: signsBut(''), longControls: true, ascii: true }),
];

/** Every UTF-16 unit as `\uXXXX`. */
export const jsonEvery: Encode = (text) => text.replace(/./gs, unicodeEscape);
