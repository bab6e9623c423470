/**
 * Finds patterns that are broken into lines: base64 in mail, PEM, YAML and the API of GitHub, hexadecimal
 * by `xxd -p`, a folded token.
 *
 * Only patterns of base64 letters are searched for, and a break counts only behind a line of at least
 * `MIN_LINE` letters, so that ordinary text is skipped in large steps. From such a break on, letters are
 * gathered without breaks and scanned as one text, until another character follows. Breaks and the signs
 * `+` and `/` may be escaped, as in JSON, HTML or a URL.
 */
import { viewOf } from './filter.ts';
import { GatheredLetters } from './gathered-letters.ts';
import type { Matcher } from './matcher.ts';
import type { MatchSink } from './scanner.ts';
import { Spellings } from './spellings.ts';

export const MIN_LINE = 48;
/** Bytes that are checked together. */
const WORD = 16;
/** The maximum of a break with its indentation. */
export const MAX_BREAK = 64;
/** Bytes that a line may take until it has `MIN_LINE` letters, when signs in it are escaped. */
export const MAX_SHORT_LINE = 4 * MIN_LINE;

const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const HASH = 0x23;
const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;
const BACKSLASH = 0x5c;
const DIGIT_0 = 0x30;
const DIGIT_2 = 0x32;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_';

const isLetter = new Uint8Array(256);
for (const letter of Buffer.from(ALPHABET)) isLetter[letter] = 1;

/** Bytes that may begin an escaped `+`, `/` or line break. */
const isIntroducer = new Uint8Array(256);
for (const byte of Buffer.from('\\%&=')) isIntroducer[byte] = 1;

/** Before an escaped sign, in JSON in JSON in JSON. */
const MAX_BACKSLASHES = 8;
/** Signs of broken lines that encoders escape. */
const ESCAPED_CHARACTERS = '\n\r+/';
const ESCAPABLE = new Spellings([...ESCAPED_CHARACTERS]);

/** What the bytes at a position are: part of a break, an escaped letter, cut off, or other text. */
type Item =
  | { readonly kind: 'break' | 'blank' | 'letter'; readonly code: number; readonly end: number }
  | { readonly kind: 'truncated' }
  | { readonly kind: 'other' };
const OTHER: Item = { kind: 'other' };
const TRUNCATED: Item = { kind: 'truncated' };

export class BrokenLines {
  readonly #sink: MatchSink;
  readonly #matcher: Matcher;
  /** Created on demand: most texts have no broken lines. */
  #gathered: GatheredLetters | undefined;
  #isGathering = false;
  /** Bytes at the end that are read again with the next. */
  #pending = 0;
  /** Letters of a line that stand before the pending bytes and need not be read again. */
  #letters = 0;
  /** Bytes of the break at hand. */
  #breakLength = 0;

  constructor(sink: MatchSink, matcher: Matcher) {
    this.#sink = sink;
    this.#matcher = matcher;
  }

  /** As `TextScanner.read`; the bytes from `first` on are at hand, and none before is undecided. */
  read(
    bytes: Uint8Array,
    first: number,
    from: number,
    to: number,
    base: number,
    isLast: boolean,
  ): number {
    let at = from - this.#pending;
    this.#pending = 0;
    while (at < to && this.#pending === 0) {
      at = this.#isGathering
        ? this.#gather(bytes, at, to, base, isLast)
        : this.#seek(bytes, first, at, to, base, isLast);
    }
    if (isLast && this.#isGathering) this.#leave();
    return Math.min((this.#gathered?.decide() ?? base + to) - base, to - this.#pending);
  }

  /** Goes to the next break behind a long line, or to the end. */
  #seek(
    bytes: Uint8Array,
    first: number,
    from: number,
    to: number,
    base: number,
    isLast: boolean,
  ): number {
    let start = from - this.#letters;
    let at = from;
    let checked = from;
    const view = viewOf(bytes);
    this.#letters = 0;
    for (;;) {
      if (start >= at) {
        at = start = skipShort(bytes, view, start, to, checked);
        checked = Math.min(start + MIN_LINE, to);
      }
      const plain = endOfLetters(bytes, at, to);
      const line = this.#restOfLine(bytes, start, plain, to, isLast);
      const known = Math.max(start, first);
      if (line.isLong) {
        this.#gathered ??= new GatheredLetters(this.#sink, (sink) =>
          this.#matcher.letterScanner(sink),
        );
        this.#gathered.add(bytes, known, plain, base);
        this.#isGathering = true;
        return plain;
      }
      if (line.end === to) {
        this.#pending = line.hasEscape ? to - known : 0;
        this.#letters = to - this.#pending - start;
        return to;
      }
      at = start = Math.max(line.end + 1, endOfBackslashes(bytes, line.end, to) - MAX_BACKSLASHES);
    }
  }

  /** Follows a line of letters beyond its first escaped sign, until it is long, or ends. */
  #restOfLine(
    bytes: Uint8Array,
    start: number,
    plain: number,
    to: number,
    isLast: boolean,
  ): { isLong: boolean; hasEscape: boolean; end: number } {
    let letters = plain - start;
    let end = plain;
    while (end < to && (end === plain || end - start <= MAX_SHORT_LINE)) {
      const item = itemAt(bytes, end, to, isLast);
      if (item.kind === 'other' || item.kind === 'blank') break;
      if (letters >= MIN_LINE) return { isLong: true, hasEscape: false, end };
      if (item.kind === 'break') break;
      if (item.kind === 'truncated') return { isLong: false, hasEscape: true, end: to };
      const next = endOfLetters(bytes, item.end, to);
      letters += next - item.end + 1;
      end = next;
    }
    // A line with escapes is gathered as soon as it is long, whatever follows.
    if (end > plain && letters >= MIN_LINE) return { isLong: true, hasEscape: true, end };
    return { isLong: false, hasEscape: end > plain, end };
  }

  /** Gathers letters to the end of the broken lines, or of the bytes. */
  #gather(bytes: Uint8Array, from: number, to: number, base: number, isLast: boolean): number {
    let at = from;
    while (at < to) {
      if (isLetter[bytes[at]!] === 1) {
        const end = endOfLetters(bytes, at, to);
        this.#gathered!.add(bytes, at, end, base);
        this.#breakLength = 0;
        at = end;
        continue;
      }
      const item = itemAt(bytes, at, to, isLast);
      if (item.kind === 'truncated') {
        this.#pending = to - at;
        return to;
      }
      if (item.kind === 'letter') {
        this.#gathered!.addEscaped(item.code, base + at, base + item.end);
        this.#breakLength = 0;
      } else if (item.kind === 'other' || this.#endsBreak(item.kind)) {
        this.#leave();
        return at;
      } else {
        this.#breakLength += item.end - at;
      }
      at = item.end;
    }
    return to;
  }

  /** Blanks belong to a break only behind its line feed; and a break ends somewhere. */
  #endsBreak(kind: 'break' | 'blank'): boolean {
    return (kind === 'blank' && this.#breakLength === 0) || this.#breakLength > MAX_BREAK;
  }

  #leave(): void {
    this.#gathered!.finish();
    this.#isGathering = false;
    this.#breakLength = 0;
  }
}

/** Reads one sign, escaped or not; of several readings the longest. */
function itemAt(bytes: Uint8Array, at: number, to: number, isLast: boolean): Item {
  const byte = bytes[at]!;
  if (byte === LF || byte === CR) return { kind: 'break', code: byte, end: at + 1 };
  if (byte === SPACE || byte === TAB) return { kind: 'blank', code: byte, end: at + 1 };
  if (!mayIntroduce(byte, at + 1 < to ? bytes[at + 1] : undefined)) return OTHER;
  let item = OTHER;
  let state = ESCAPABLE.start;
  for (let end = at; ; ) {
    if (end === to) return isLast ? item : TRUNCATED;
    state = ESCAPABLE.step(state, bytes[end]!);
    if (state === 0) return item;
    end++;
    const accepted = ESCAPABLE.accepted(state)[0];
    if (accepted === undefined) continue;
    const code = ESCAPED_CHARACTERS.charCodeAt(accepted);
    item = { kind: code === LF || code === CR ? 'break' : 'letter', code, end };
    if (ESCAPABLE.isFinal(state)) return item;
  }
}

/**
 * From `start` on, the first place at which a long line may begin. What is before `checked` may be
 * part of one.
 */
function skipShort(
  bytes: Uint8Array,
  view: DataView,
  start: number,
  to: number,
  checked: number,
): number {
  if (start + MIN_LINE > to) return start;
  const look = MIN_LINE - WORD;
  let at = start;
  while (at + MIN_LINE <= to) {
    if (at + look >= checked && holdsBlankOrQuote(view, at + look)) {
      at += look + 1;
      continue;
    }
    let last = at + MIN_LINE - 1;
    const least = Math.max(at, checked);
    while (last >= least && (isLetter[bytes[last]!] === 1 || isPartOfEscape(bytes, last))) last--;
    if (last < least) return at;
    at = last + 1;
  }
  return at;
}

/** Whether one of the next bytes is a control character, a blank, or a quote. */
function holdsBlankOrQuote(view: DataView, at: number): boolean {
  const a = view.getInt32(at, true);
  const b = view.getInt32(at + 4, true);
  const c = view.getInt32(at + 8, true);
  const d = view.getInt32(at + 12, true);
  // What is below 0x23 borrows from its highest bit.
  const below =
    ((a - 0x23232323) & ~a) |
    ((b - 0x23232323) & ~b) |
    ((c - 0x23232323) & ~c) |
    ((d - 0x23232323) & ~d);
  return (below & 0x80808080) !== 0;
}

/** Whether a byte may be part of an escaped `+`, `/` or line break, beside letters and digits. */
function isPartOfEscape(bytes: Uint8Array, at: number): boolean {
  const byte = bytes[at]!;
  if (byte === HASH) return bytes[at - 1] === AMPERSAND;
  return byte === SEMICOLON || isBrace(byte) || mayIntroduce(byte, bytes[at + 1]);
}

const isBrace = (byte: number): boolean => byte === 0x7b || byte === 0x7d;

/** Of quoted-printable only `=0A`, `=0D`, `=2B` and `=2F` count: base64 itself ends in `=`. */
function mayIntroduce(byte: number, next: number | undefined): boolean {
  if (byte !== EQUALS) return isIntroducer[byte] === 1;
  return next === DIGIT_0 || next === DIGIT_2 || next === undefined;
}

function endOfBackslashes(bytes: Uint8Array, from: number, to: number): number {
  let end = from;
  while (end < to && bytes[end] === BACKSLASH) end++;
  return end;
}

function endOfLetters(bytes: Uint8Array, from: number, to: number): number {
  let end = from;
  while (end < to && isLetter[bytes[end]!] === 1) end++;
  return end;
}
