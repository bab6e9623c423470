/**
 * Finds forms that line breaks cut into pieces: base64 as mail, PEM, YAML and the API of GitHub
 * write it, hexadecimal as `xxd -p` does, a long token that was folded.
 *
 * Only a form of nothing but the letters of base64 can stand in such lines, and a break counts only
 * behind a line of at least `LEAST_LINE` letters, so ordinary text is passed over in large steps.
 * From such a break on, letters are gathered without their breaks and scanned as one text, until
 * something else comes.
 */
import { viewOf } from './filter.ts';
import { GatheredLetters } from './gathered-letters.ts';
import type { MatchSink, Scanners } from './scanner.ts';

const LEAST_LINE = 48;
/** So many bytes are looked at together. */
const LOOK = 16;
/** A break with its indentation; whatever is longer is none, and holds nothing back. */
const LONGEST_BREAK = 64;
/** Bytes of a short line whose slashes are escaped; room for three `\` to each letter. */
const LONGEST_SHORT_LINE = 4 * LEAST_LINE;

const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const N = 0x6e;
const R = 0x72;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_';

const isLetter = new Uint8Array(256);
for (const letter of Buffer.from(ALPHABET)) isLetter[letter] = 1;

/** Whether a pattern can stand in broken lines. */
export function isAllLetters(pattern: Uint8Array): boolean {
  return pattern.every((byte) => isLetter[byte] === 1);
}

/** Where the next byte stands: outside of broken lines, in a line, behind a `\`, or in a break. */
type Place = 'outside' | 'line' | 'escape' | 'break';

export class BrokenLines implements MatchSink {
  readonly #scanners: Scanners;
  /** Made when they are needed: most texts have no broken lines. */
  #gathered: GatheredLetters | undefined;
  #found: { readonly start: number; readonly end: number }[] | undefined;
  /** How many of them are told of. */
  #told = 0;
  #place: Place = 'outside';
  /** Outside, how many bytes of the line stand right before the next byte. */
  #line = 0;
  /** Of them, those that are held back and read again, since a `\` is among them. */
  #held = 0;
  /** Bytes of the break at hand. */
  #blank = 0;

  constructor(scanners: Scanners) {
    this.#scanners = scanners;
  }

  /** As `Scanner.read`; the bytes from `first` on are at hand, and none before is undecided. */
  read(bytes: Uint8Array, first: number, from: number, to: number, base: number): number {
    let at = from;
    while (at < to) {
      at =
        this.#place === 'outside'
          ? this.#seek(bytes, first, at, to, base)
          : this.#follow(bytes, at, to, base);
    }
    return Math.min((this.#gathered?.decide() ?? base + to) - base, to - this.#held);
  }

  add(start: number, end: number): void {
    this.#found ??= [];
    this.#found.push({ start, end });
  }

  /** Tells of the matches that end up to there, once each. */
  tell(sink: MatchSink, until: number): void {
    if (this.#found === undefined) return;
    for (; this.#told < this.#found.length; this.#told++) {
      const { start, end } = this.#found[this.#told]!;
      if (end > until) return;
      sink.add(start, end);
    }
    this.#found = undefined;
    this.#told = 0;
  }

  /**
   * Goes to the next break behind a long line, or to the end. A `/` may be escaped; a line in which
   * one is so is gathered as soon as it is long, from its beginning.
   */
  #seek(bytes: Uint8Array, first: number, from: number, to: number, base: number): number {
    let start = from - this.#line;
    let at = from - this.#held;
    this.#held = 0;
    for (;;) {
      if (start >= at) at = start = skipShort(bytes, start, to);
      const plain = endOfLetters(bytes, at, to);
      let letters = plain - start;
      let end = plain;
      while (letters < LEAST_LINE && end - start < LONGEST_SHORT_LINE && isEscape(bytes, end, to)) {
        const next = endOfLetters(bytes, end + 1, to);
        letters += next - end - 1;
        end = next;
      }
      const known = Math.max(start, first);
      if (letters >= LEAST_LINE && (end > plain || isBreak(bytes, end, to))) {
        this.#gathered ??= new GatheredLetters(this, this.#scanners);
        this.#gathered.add(bytes, known, plain, base);
        this.#place = 'line';
        return plain;
      }
      if (end === to) {
        this.#line = to - start;
        if (end > plain) this.#held = to - known;
        return to;
      }
      at = start = end + 1;
    }
  }

  /** Gathers letters to the end of the broken lines, or of the bytes. */
  #follow(bytes: Uint8Array, from: number, to: number, base: number): number {
    let at = from;
    while (at < to) {
      const byte = bytes[at]!;
      const isEscaped = this.#place === 'escape';
      if (isEscaped ? byte === SLASH : isLetter[byte] === 1) {
        const end = isEscaped ? at + 1 : endOfLetters(bytes, at, to);
        this.#gathered!.add(bytes, at, end, base);
        this.#place = 'line';
        this.#blank = 0;
        at = end;
        continue;
      }
      const next = isEscaped ? afterEscape(byte) : afterLine(byte, this.#place);
      if (next === 'outside' || ++this.#blank > LONGEST_BREAK) {
        this.#leave();
        return at;
      }
      this.#place = next;
      at++;
    }
    return to;
  }

  #leave(): void {
    this.#gathered!.finish();
    this.#place = 'outside';
    this.#line = 0;
    this.#blank = 0;
  }
}

/** From `start` on, the first place at which a long line may begin. */
function skipShort(bytes: Uint8Array, start: number, to: number): number {
  if (start + LEAST_LINE > to) return start;
  const view = viewOf(bytes);
  const look = LEAST_LINE - LOOK;
  let at = start;
  while (at + LEAST_LINE <= to) {
    if (holdsSign(view, at + look)) {
      at += look + 1;
      continue;
    }
    let last = at + LEAST_LINE - 1;
    while (last >= at && (isLetter[bytes[last]!] === 1 || isEscape(bytes, last, to))) last--;
    if (last < at) return at;
    at = last + 1;
  }
  return at;
}

/** Whether one of the next bytes is below every letter: a blank, a quote, a break. */
function holdsSign(view: DataView, at: number): boolean {
  const a = view.getInt32(at, true);
  const b = view.getInt32(at + 4, true);
  const c = view.getInt32(at + 8, true);
  const d = view.getInt32(at + 12, true);
  // What is below 0x2b borrows from its highest bit.
  const below =
    ((a - 0x2b2b2b2b) & ~a) |
    ((b - 0x2b2b2b2b) & ~b) |
    ((c - 0x2b2b2b2b) & ~c) |
    ((d - 0x2b2b2b2b) & ~d);
  return (below & 0x80808080) !== 0;
}

function endOfLetters(bytes: Uint8Array, from: number, to: number): number {
  let end = from;
  while (end < to && isLetter[bytes[end]!] === 1) end++;
  return end;
}

/** Whether this is the `\` of a `\/`, or one before it, as far as the bytes tell. */
function isEscape(bytes: Uint8Array, at: number, to: number): boolean {
  if (at === to || bytes[at] !== BACKSLASH) return false;
  return at + 1 === to || bytes[at + 1] === SLASH || bytes[at + 1] === BACKSLASH;
}

/** Whether a break begins here, as far as the bytes tell. */
function isBreak(bytes: Uint8Array, at: number, to: number): boolean {
  if (bytes[at] !== BACKSLASH) return bytes[at] === LF || bytes[at] === CR;
  return at + 1 === to || bytes[at + 1] === SLASH || afterEscape(bytes[at + 1]!) !== 'outside';
}

/** Breaks may be escaped more than once: JSON within JSON. */
function afterEscape(byte: number): Place {
  if (byte === BACKSLASH) return 'escape';
  return byte === N || byte === R ? 'break' : 'outside';
}

function afterLine(byte: number, place: Place): Place {
  if (byte === BACKSLASH) return 'escape';
  if (byte === LF || byte === CR) return 'break';
  return place === 'break' && (byte === SPACE || byte === TAB) ? 'break' : 'outside';
}
