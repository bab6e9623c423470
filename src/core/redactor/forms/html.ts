/**
 * How HTML and XML encoders write a text.
 *
 * Each row is what an encoder in wide use makes of the characters it minds; each is
 * combined with the ways to write what lies outside ASCII.
 */
import type { Encode } from './escapes.ts';

type Entity = (char: string) => string;

const decimal =
  (width: number): Entity =>
  (char) =>
    `&#${String(char.codePointAt(0)).padStart(width, '0')};`;
const hex =
  (width: number): Entity =>
  (char) =>
    `&#x${char.codePointAt(0)!.toString(16).padStart(width, '0')};`;

/** Browsers read a reference without it. */
const withoutSemicolon =
  (entity: Entity): Entity =>
  (char) =>
    entity(char).slice(0, -1);

/** A reference as JSON that is safe in HTML escapes it in its turn. */
const inJson =
  (entity: Entity): Entity =>
  (char) =>
    `\\u0026${entity(char).slice(1)}`;

/** A reference that was escaped again, as a page shows the source of another, or a feed its posts. */
const inHtml =
  (entity: Entity): Entity =>
  (char) =>
    `&amp;${entity(char).slice(1)}`;

const LATIN_1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'.split(
    ' ',
  );
const NAMED = new Map(
  LATIN_1.map((name, index) => [String.fromCharCode(0xa0 + index), `&${name};`]),
);
const named: Entity = (char) => NAMED.get(char) ?? char;
const raw: Entity = (char) => char;

const BASE = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const PUNCTUATION_NAMES: Record<string, string> = {
  ...{ '!': 'excl', '"': 'quot', '#': 'num', $: 'dollar', '%': 'percnt', '&': 'amp' },
  ...{ "'": 'apos', '(': 'lpar', ')': 'rpar', '*': 'ast', '+': 'plus', ',': 'comma' },
  ...{ '.': 'period', '/': 'sol', ':': 'colon', ';': 'semi', '<': 'lt', '=': 'equals' },
  ...{ '>': 'gt', '?': 'quest', '@': 'commat', '[': 'lsqb', '\\': 'bsol', ']': 'rsqb' },
  ...{ '^': 'Hat', _: 'lowbar', '`': 'grave', '{': 'lcub', '|': 'verbar', '}': 'rcub' },
  ...{ '\n': 'NewLine', '\t': 'Tab' },
};
const PUNCTUATION = Object.fromEntries(
  Object.entries(PUNCTUATION_NAMES).map(([char, name]) => [char, `&${name};`]),
);

const entities = (chars: string, entity: Entity): Record<string, string> =>
  Object.fromEntries([...chars].map((char) => [char, entity(char)]));

const TABLES: readonly Record<string, string>[] = [
  { ...BASE },
  { ...BASE, '"': '&quot;' },
  { '&': '&amp;', '"': '&quot;' },
  { '&': '&amp;', '<': '&lt;', '"': '&quot;' },
  { ...BASE, '"': '&quot;', "'": '&#39;' },
  { ...BASE, '"': '&quot;', "'": '&#039;' },
  { ...BASE, '"': '&quot;', "'": '&#x27;' },
  { ...BASE, '"': '&quot;', "'": '&apos;' },
  { ...BASE, '"': '&#34;', "'": '&#39;' },
  { ...BASE, '"': '&#34;', "'": '&#39;', '+': '&#43;' },
  { ...BASE, '"': '&quot;', "'": '&#x27;', '+': '&#x2b;' },
  { ...BASE, '"': '&quot;', "'": '&#x27;', '+': '&#x2b;', '`': '&#x60;' },
  { ...BASE, '"': '&quot;', "'": '&#x27;', '/': '&#x2f;' },
  { ...BASE, '"': '&quot;', "'": '&#39;', '/': '&#x2f;' },
  { ...BASE, '"': '&quot;', "'": '&#39;', '/': '&#x2f;', '`': '&#x60;', '=': '&#x3d;' },
  { ...BASE, '"': '&quot;', "'": '&#039;', '/': '&#047;' },
  { ...BASE, '"': '&quot;', "'": '&#39;', '/': '&#47;' },
  // Handlebars.
  { ...BASE, '"': '&quot;', "'": '&#x27;', '`': '&#x60;', '=': '&#x3d;' },
  // XML writes line breaks in attributes as references.
  { ...BASE, '"': '&quot;', '\n': '&#10;', '\r': '&#13;', '\t': '&#9;' },
  { ...BASE, '"': '&quot;', '\n': '&#xa;', '\r': '&#xd;', '\t': '&#x9;' },
  entities('&<>"\'', decimal(0)),
  entities('&<>"\'', decimal(3)),
  entities('&<>"\'', hex(0)),
  entities('&<>"\'', hex(4)),
];

function htmlEncoder(table: Record<string, string>, beyondAscii: Entity): Encode {
  const escapeChar: Entity = (char) =>
    char > '\u007f' ? beyondAscii(char) : (table[char] ?? char);
  return (text) => text.replace(/[^A-Za-z0-9]/gu, escapeChar);
}

/** What serialising a text node does. */
export const htmlText = htmlEncoder(BASE, raw);
/** What most template languages do. */
export const htmlCommon = htmlEncoder({ ...BASE, '"': '&quot;', "'": '&#39;' }, raw);

export const htmlEncoders: readonly Encode[] = TABLES.flatMap((table) =>
  [raw, named, decimal(0), hex(0), hex(4)].map((beyondAscii) => htmlEncoder(table, beyondAscii)),
);

/** The entities of ASCII are made once: a text is written in many of these ways. */
function everyChar(entity: Entity): Encode {
  const ascii = Array.from({ length: 128 }, (_, code) => entity(String.fromCharCode(code)));
  return (text) => {
    let written = '';
    for (const char of text) written += ascii[char.charCodeAt(0)] ?? entity(char);
    return written;
  };
}

const everySign =
  (entity: Entity): Encode =>
  (text) =>
    text.replace(/[^A-Za-z0-9]/gu, entity);

/** Every character, or every one that is no letter or digit, as a reference or by its name. */
export const htmlEvery: readonly Encode[] = [
  everyChar(decimal(0)),
  everyChar(decimal(3)),
  everyChar(decimal(4)),
  everyChar(hex(0)),
  everyChar(hex(4)),
  everyChar(withoutSemicolon(decimal(0))),
  everyChar(withoutSemicolon(hex(0))),
  everyChar(inJson(decimal(0))),
  everyChar(inJson(hex(0))),
  everyChar(inHtml(decimal(0))),
  everyChar(inHtml(hex(0))),
  everySign(decimal(0)),
  everySign(hex(0)),
  everySign(inHtml(decimal(0))),
  everySign(inHtml(hex(0))),
  htmlEncoder(PUNCTUATION, named),
];
