/**
 * Every form in which an upstream may write a secret back.
 *
 * Stops: an echo of an injected credential that slips through because the upstream quoted,
 * escaped or encoded it. Each family of encodings is a file in `forms/`.
 * Letter case is not multiplied out: matching folds ASCII case.
 */
import type { Secret } from '../secret.ts';
import {
  base64Forms,
  byteLists,
  decodedBase64,
  hexForms,
  nestedBase64Forms,
  wideForms,
} from './forms/binary.ts';
import { type Encode, Escapes, over, twice } from './forms/escapes.ts';
import { htmlCommon, htmlEncoders, htmlEvery, htmlText } from './forms/html.ts';
import {
  jsonDotNet,
  jsonEncoders,
  jsonEvery,
  jsonGo,
  jsonPhp,
  jsonPlain,
  jsonPython,
} from './forms/json.ts';
import { literalEncoders } from './forms/literals.ts';
import { mailEncoders } from './forms/mail.ts';
import { markdownEncoders } from './forms/markdown.ts';
import {
  percentComponent,
  percentEncoders,
  percentEvery,
  percentEveryByte,
  percentForm,
  percentUri,
  utf8,
} from './forms/percent.ts';
import { quoteEncoders } from './forms/quotes.ts';
import {
  credentialsIn,
  longEnough,
  otherNotationOf,
  REDACTION_FLOOR,
  readingsOf,
} from './forms/readings.ts';

/** Applied over each other in every order: JSON in an HTML attribute, HTML in JSON, … */
const NESTED: readonly Encode[] = [
  jsonPlain,
  jsonPhp,
  jsonGo,
  htmlText,
  htmlCommon,
  percentComponent,
  percentForm,
  percentUri,
];

const PAIRS = NESTED.flatMap((outer) => NESTED.map((inner) => over(outer, inner)));

const percentSigns: Encode = (text) => text.replaceAll('%', '%25');

const TEXT_ESCAPES = new Escapes([
  ...jsonEncoders.flatMap((json) => [json, twice(json), over(jsonPlain, json)]),
  ...percentEncoders.flatMap((percent) => [percent, twice(percent), over(percentSigns, percent)]),
  ...htmlEncoders.flatMap((html) => [html, over(htmlText, html)]),
  ...literalEncoders.flatMap((literal) => [literal, over(jsonPlain, literal)]),
  ...markdownEncoders.flatMap((markdown) => [markdown, over(jsonPlain, markdown)]),
  ...quoteEncoders.flatMap((quote) => [quote, over(jsonPlain, quote)]),
  ...mailEncoders,
  ...PAIRS,
]);

/** Applied once more: a log line that holds an event that holds an answer, a link in a link. */
const DEEP_ESCAPES = new Escapes([
  ...jsonEncoders.map((json) => over(twice(jsonPlain), json)),
  ...percentEncoders.map((percent) => over(twice(percentSigns), percent)),
  ...[jsonPlain, htmlCommon, percentComponent].flatMap((outer) =>
    PAIRS.map((pair) => over(outer, pair)),
  ),
]);
/** Of a longer value, a key in a file, they would take megabytes. */
const LONGEST_DEEP = 1024;

/** Base64 holds `+` and `/`, which JSON, URLs and HTML escape in their turn. */
const BASE64_ESCAPES = new Escapes([
  jsonPhp,
  twice(jsonPhp),
  over(jsonPlain, jsonPhp),
  jsonDotNet,
  over(jsonPlain, jsonDotNet),
  percentComponent,
  twice(percentComponent),
  percentUri,
  ...htmlEncoders,
]);

/** What a text may be written as before it becomes UTF-16 or UTF-32. */
const IN_WIDE_TEXT: readonly Encode[] = [
  jsonPlain,
  jsonPython,
  jsonPhp,
  htmlCommon,
  percentComponent,
];

/** Base64 tells upper from lower case, and encoders of URLs write upper case. */
const upperCaseDigits: Encode = (text) => text.replace(/%../g, (byte) => byte.toUpperCase());
/** And before it becomes base64: the payload of a JWT, the state of a sign-in, a link in a mail. */
const IN_BASE64: readonly Encode[] = [
  jsonPlain,
  jsonPython,
  jsonPhp,
  htmlCommon,
  over(upperCaseDigits, percentComponent),
  over(upperCaseDigits, percentForm),
  twice(jsonPlain),
];

/** The forms of a secret as bytes. */
export function formsOf(secret: Secret): Uint8Array[] {
  return formTextsOf(secret).map((form) => Buffer.from(form, 'latin1'));
}

/** The forms as strings with one character a byte; none for a secret below the floor. */
export function formTextsOf(secret: Secret): string[] {
  if (secret.length < REDACTION_FLOOR) return [];
  const readings = readingsOf(secret.reveal());
  const forms = new Forms();
  for (const reading of readings) {
    for (const spelling of spellings(reading)) forms.addText(spelling);
    for (const line of inOneLine(reading)) forms.addCommon(line);
    for (const uuid of otherNotationOf(reading)) forms.addCommon(uuid);
    forms.addDecoded(reading);
  }
  return forms.without(properPrefixesOf(readings));
}

/**
 * A form must not be the beginning of the value, or a model that echoes guesses would learn
 * that it has found a part. Base64 without its padding is no part: the padding is known. Nor is
 * a value without the white space at its end.
 */
function properPrefixesOf(readings: readonly string[]): (form: string) => boolean {
  const wholes = readings.map((reading) => utf8(reading.trim()).toLowerCase());
  return (form) =>
    wholes.some(
      (whole) =>
        form.length < whole.length &&
        whole.startsWith(form.toLowerCase()) &&
        !/^=+$/.test(whole.slice(form.length)),
    );
}

/**
 * The value itself; with the line breaks of the other convention; composed and decomposed;
 * because only ASCII case is folded when matching, in upper and in lower case; and as servers
 * show it that take the UTF-8 in a header for Latin-1 or windows-1252.
 */
function spellings(value: string): Set<string> {
  const unix = value.replaceAll('\r\n', '\n');
  const all = new Set([value, ...longEnough([unix, unix.replaceAll('\n', '\r\n')])]);
  if (!isAscii(value)) {
    all.add(value.normalize('NFC')).add(value.normalize('NFD'));
    all.add(value.toUpperCase()).add(value.toLowerCase());
    all.add(utf8(value)).add(WINDOWS_1252.decode(Buffer.from(value)));
  }
  return all;
}

/** Of a value in lines what is left where they are folded into one: by blanks, or by nothing. */
function inOneLine(value: string): string[] {
  if (!value.includes('\n')) return [];
  return longEnough([' ', ''].map((between) => value.replace(/\r?\n/g, between)));
}

const WINDOWS_1252 = new TextDecoder('windows-1252');

const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text);
const isLatin1 = (text: string): boolean => /^[\u0000-\u00ff]*$/.test(text);

class Forms {
  /** One character a byte, so that equal forms are found. */
  readonly #forms = new Set<string>();

  without(excluded: (form: string) => boolean): string[] {
    return [...this.#forms].filter((form) => !excluded(form));
  }

  addText(text: string): void {
    this.#add(utf8(text));
    for (const escaped of TEXT_ESCAPES.of(text)) this.#add(utf8(escaped));
    if (text.length <= LONGEST_DEEP) this.#add(...DEEP_ESCAPES.of(text).map(utf8));
    const json = jsonEvery(text);
    const percent = percentEvery(text);
    this.#add(json, jsonPlain(json));
    this.#add(percent, percentSigns(percent), percentEveryByte(percent));
    for (const encode of htmlEvery) this.#add(utf8(encode(text)));
    for (const written of new Set([text, ...IN_WIDE_TEXT.map((encode) => encode(text))])) {
      for (const bytes of wideForms(written)) this.#add(bytes.toString('latin1'));
    }
    this.#addBytes(Buffer.from(text, 'utf8'));
    this.#add(...base64Forms(Buffer.from(text, 'utf16le').toString('latin1')));
    for (const written of new Set(IN_BASE64.map((encode) => encode(text)))) {
      if (written !== text) this.#add(...base64Forms(utf8(written)));
    }
    if (!isAscii(text) && isLatin1(text)) this.#addLatin1(text);
  }

  /** As it is and in the most common forms: values in lines are long, and every form costs memory. */
  addCommon(text: string): void {
    this.#add(utf8(text), ...IN_WIDE_TEXT.map((encode) => utf8(encode(text))));
  }

  /** A secret that is base64 is also given away by what it stands for. */
  addDecoded(value: string): void {
    const bytes = decodedBase64(value);
    if (bytes === undefined) return;
    const respelt = [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')];
    this.#add(...respelt.filter(({ length }) => length >= REDACTION_FLOOR));
    if (bytes.length < REDACTION_FLOOR) return;
    const text = bytes.toString('utf8');
    const isText = !/[\u0000-\u0008\u000e-\u001f\u007f\ufffd]/.test(text);
    if (isText) for (const credential of credentialsIn(text)) this.addText(credential);
    this.#add(bytes.toString('latin1'), bytes.toString('hex'));
  }

  #addLatin1(text: string): void {
    const strict = text.replace(/[^A-Za-z0-9._~-]/g, percentEveryByte);
    this.#add(text, strict, percentEveryByte(text));
    this.#addBytes(Buffer.from(text, 'latin1'));
  }

  #addBytes(bytes: Buffer): void {
    const text = bytes.toString('latin1');
    for (const form of base64Forms(text)) this.#add(form, ...BASE64_ESCAPES.of(form));
    this.#add(...nestedBase64Forms(text));
    this.#add(...hexForms(bytes), ...byteLists(bytes));
  }

  #add(...forms: readonly string[]): void {
    for (const form of forms) this.#forms.add(form);
  }
}
