/**
 * Every form in which an upstream may write a secret back.
 *
 * Prevents a reflected credential from passing because the upstream quoted, escaped or encoded it.
 * - Text in which only signs are escaped, by whatever encoder, is matched as a `SpelledValue`.
 * - Encodings that change every character are patterns: base64, hexadecimal, UTF-16, text of which
 *   every character is escaped, and the common ones of them over each other.
 * Letter case is not multiplied out: matching folds ASCII case.
 */
import type { Secret } from '../secrets/secret.ts';
import { type Spellable, spellableOf } from './anchors.ts';
import {
  base32Forms,
  base64Forms,
  byteLists,
  decodedBase64,
  hexForms,
  plainHex,
  utf16Cores,
  utf16Forms,
  utf32Forms,
} from './forms/binary.ts';
import { everyCharacter, firstEscaped } from './forms/every-character.ts';
import {
  credentialsIn,
  longEnough,
  otherNotationOf,
  REDACTION_FLOOR,
  readingsOf,
} from './forms/readings.ts';
import { commonEscapes, nestedEscapes, utf8 } from './forms/text-escapes.ts';

/** The nested forms of a longer value, such as a key file, would take megabytes. */
const MAX_NESTED_LENGTH = 1024;

interface Forms {
  /** Byte strings that are matched as they are, one character for each byte. */
  readonly patterns: readonly string[];
  /** Values whose signs may each be spelled in any way. */
  readonly spelled: readonly Spellable[];
}

/** The forms of a secret as bytes, but for the spellings of their signs. */
export function formsOf(secret: Secret): Uint8Array[] {
  return compileForms(secret).patterns.map((form) => Buffer.from(form, 'latin1'));
}

/** The forms of a secret; none for one below the floor. */
export function compileForms(secret: Secret): Forms {
  if (secret.length < REDACTION_FLOOR) return { patterns: [], spelled: [] };
  const readings = readingsOf(secret.reveal());
  const forms = new FormSet();
  for (const reading of readings) {
    for (const variant of variantsOf(reading)) forms.addText(variant);
    for (const line of inOneLine(reading)) forms.addSpelled(line);
    for (const uuid of otherNotationOf(reading)) forms.addText(uuid);
    forms.addDecoded(reading);
  }
  return forms.without(properPrefixesOf(readings));
}

/**
 * A form must not be a prefix of the value, or a model whose guesses are echoed would learn that one is a
 * prefix. Base64 without its padding and a value without trailing white space are allowed.
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
function variantsOf(value: string): Set<string> {
  const unix = value.replaceAll('\r\n', '\n');
  const all = new Set([value, ...longEnough([unix, unix.replaceAll('\n', '\r\n')])]);
  if (!isAscii(value)) {
    all.add(value.normalize('NFC')).add(value.normalize('NFD'));
    all.add(value.toUpperCase()).add(value.toLowerCase());
    all.add(utf8(value)).add(WINDOWS_1252.decode(Buffer.from(value)));
  }
  return all;
}

/** A value of several lines where they are folded into one: by blanks, or by nothing. */
function inOneLine(value: string): string[] {
  if (!value.includes('\n')) return [];
  return longEnough([' ', ''].map((between) => value.replace(/\r?\n/g, between)));
}

const WINDOWS_1252 = new TextDecoder('windows-1252');

const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text);
const isLatin1 = (text: string): boolean => /^[\u0000-\u00ff]*$/.test(text);

class FormSet {
  readonly #patterns = new Set<string>();
  readonly #spelled = new Set<string>();

  without(excluded: (form: string) => boolean): Forms {
    const spelled: Spellable[] = [];
    for (const text of this.#spelled) {
      if (excluded(utf8(text))) continue;
      const value = spellableOf(text);
      if (value !== undefined) spelled.push(value);
      else for (const escaped of nestedEscapes(text)) this.#patterns.add(utf8(escaped));
    }
    return { patterns: [...this.#patterns].filter((form) => !excluded(form)), spelled };
  }

  /** A text whose signs may be spelled in any way. */
  addSpelled(text: string): void {
    this.#patterns.add(utf8(text));
    if (/[^A-Za-z0-9]/.test(text)) this.#spelled.add(text);
  }

  addText(text: string): void {
    this.addSpelled(text);
    this.#add(...everyCharacter(text), ...firstEscaped(text));
    this.#add(...utf16Forms(text), ...utf32Forms(text));
    this.#addBytes(utf8(text));
    if (!isAscii(text) && isLatin1(text)) this.#addLatin1(text);
    if (text.length <= MAX_NESTED_LENGTH) this.#addNested(text);
  }

  /** A secret that is base64 also has the forms of what it encodes. */
  addDecoded(value: string): void {
    const bytes = decodedBase64(value);
    if (bytes === undefined) return;
    const respelt = [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')];
    for (const form of longEnough(respelt)) this.addSpelled(form);
    if (bytes.length < REDACTION_FLOOR) return;
    const text = bytes.toString('utf8');
    const isText = !/[\u0000-\u0008\u000e-\u001f\u007f\ufffd]/.test(text);
    if (isText) for (const credential of credentialsIn(text)) this.addText(credential);
    this.#add(bytes.toString('latin1'), bytes.toString('hex'));
  }

  /** Base64, hexadecimal and UTF-16 of a text that was escaped or encoded before. */
  #addNested(text: string): void {
    for (const escaped of commonEscapes(text)) {
      for (const form of base64Forms(utf8(escaped))) this.addSpelled(form);
      this.#add(plainHex(utf8(escaped)), ...utf16Forms(escaped), ...utf32Forms(escaped));
    }
    const bytes = utf8(text);
    const hex = plainHex(bytes);
    for (const inner of new Set([...base64Forms(bytes), hex, hex.toUpperCase()])) {
      this.#add(...base64Forms(inner), plainHex(inner), ...utf16Forms(inner));
    }
    for (const wide of utf16Cores(text)) {
      this.#add(...base64Forms(wide), plainHex(wide));
      if (isAscii(text)) this.#add(...commonEscapes(wide));
    }
  }

  #addLatin1(text: string): void {
    this.#add(text, ...everyCharacter(text, 'latin1'));
    this.#addBytes(text);
  }

  #addBytes(bytes: string): void {
    for (const form of base64Forms(bytes)) this.addSpelled(form);
    this.#add(...hexForms(bytes), ...base32Forms(bytes), ...byteLists(bytes));
  }

  #add(...forms: readonly string[]): void {
    for (const form of forms) this.#patterns.add(form);
  }
}
