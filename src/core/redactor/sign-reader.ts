/**
 * Reads the signs of all values with one automaton, once per position of the text.
 *
 * Prevents algorithmic complexity attacks by text that many verifications read (CWE-407): the readings of
 * a position are cached while the bytes stay the same, so that a byte costs a few look-ups.
 */
import { MAX_SPELLING, Spellings } from './spellings.ts';

export const NONE = -1;

/** The bytes in which values are verified. */
export interface Window {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
  /** Another number for other bytes. */
  readonly turn: number;
  /** The look-ups of verification, for the tests of the linear bound. */
  steps: number;
}

/** Positions whose readings are kept; those that are so far apart share a slot. */
const SLOTS = 1024;
/** No spelling is longer. */
const BLOCK = MAX_SPELLING;
/** The cache is cleared when it has more readings. */
const MAX_READINGS = 4096;
/** Bits of a reading for the least and for the greatest length. */
const BITS = 7;
const LENGTH = (1 << BITS) - 1;

/** The sign that was read; it is spelled by as many bytes as the least length, the greatest, or any between. */
export const signIn = (reading: number): number => reading >> (2 * BITS);
export const leastIn = (reading: number): number => (reading >> BITS) & LENGTH;
export const greatestIn = (reading: number): number => reading & LENGTH;

export class SignReader {
  /** By byte: 1 if a sign may begin with it. */
  readonly begins: Uint8Array;
  /** Those at the position that was asked for are from `first` on, before `last`. */
  readings = new Int32Array(64);
  first = 0;
  last = 0;
  readonly #spellings: Spellings;
  readonly #signs: ReadonlyMap<string, number>;
  #turn = -1;
  #used = 0;
  /** By position modulo `SLOTS`: the position, and where its readings are. */
  readonly #positions = new Int32Array(SLOTS);
  readonly #firsts = new Int32Array(SLOTS);
  readonly #lasts = new Int32Array(SLOTS);
  /** And the end of the bytes that were looked at. */
  readonly #looked = new Int32Array(SLOTS);
  /** By position: the greatest such end of what begins there or less than a block before. */
  readonly #reaches = new Int32Array(SLOTS);
  /** By block: which one has its reaches. */
  readonly #blocks = new Int32Array(SLOTS / BLOCK);
  /** The last row of equal bytes that was read without a look behind it. */
  #rowByte = NONE;
  #rowLength = 0;
  #rowFirst = 0;
  #rowLast = 0;

  constructor(signs: readonly string[]) {
    const spellings = new Spellings(signs);
    this.#spellings = spellings;
    this.#signs = new Map(signs.map((sign, index) => [sign, index]));
    this.begins = spellings.begins;
  }

  /** The number of a sign in its readings, if it is one of those that are read. */
  numberOf(character: string): number | undefined {
    return this.#signs.get(character);
  }

  /** Reads the signs that begin at a position. */
  readAt(window: Window, from: number): void {
    if (window.turn !== this.#turn || this.#used > MAX_READINGS) this.#forget(window.turn);
    const slot = from & (SLOTS - 1);
    if (this.#positions[slot] !== from) {
      this.#positions[slot] = from;
      this.#firsts[slot] = this.#used;
      this.#looked[slot] = this.#read(window, from);
      this.#lasts[slot] = this.#used;
    }
    this.first = this.#firsts[slot]!;
    this.last = this.#lasts[slot]!;
  }

  /** Before this position every sign ends that begins at a position or before. */
  reachOf(window: Window, at: number): number {
    const block = Math.floor(at / BLOCK);
    const slot = block & (SLOTS / BLOCK - 1);
    if (window.turn !== this.#turn) this.#forget(window.turn);
    if (this.#blocks[slot] !== block) {
      const end = Math.min(window.to, (block + 1) * BLOCK);
      let reach = 0;
      for (let each = Math.max(window.from, (block - 1) * BLOCK); each < end; each++) {
        if (this.begins[window.bytes[each]!] === 1) {
          this.readAt(window, each);
          reach = Math.max(reach, this.#looked[each & (SLOTS - 1)]!);
        }
        if (each >= block * BLOCK) this.#reaches[each & (SLOTS - 1)] = reach;
      }
      this.#blocks[slot] = block;
    }
    return this.#reaches[at & (SLOTS - 1)]!;
  }

  /** Deep in a row of equal bytes, what begins at each of them is the same. */
  #read(window: Window, from: number): number {
    const { bytes } = window;
    const to = Math.min(window.to, from + MAX_SPELLING);
    if (holdsRow(bytes, from, to, this.#rowByte, this.#rowLength)) {
      for (let each = this.#rowFirst; each < this.#rowLast; each++) this.#add(this.readings[each]!);
      return from + this.#rowLength;
    }
    const first = this.#used;
    const end = this.#readSigns(bytes, from, to);
    window.steps += end - from;
    if (end === to || !holdsRow(bytes, from, to, bytes[from]!, end - from)) return end;
    this.#rowByte = bytes[from]!;
    this.#rowLength = end - from;
    this.#rowFirst = first;
    this.#rowLast = this.#used;
    return end;
  }

  /** Returns the end of the bytes that were looked at. */
  #readSigns(bytes: Uint8Array, from: number, to: number): number {
    const spellings = this.#spellings;
    const first = this.#used;
    let state = spellings.start;
    let at = from;
    while (at < to) {
      state = spellings.step(state, bytes[at]!);
      at++;
      if (state === 0) break;
      const accepted = spellings.accepted(state);
      for (let each = 0; each < accepted.length; each++) {
        const length = at - from;
        const known = this.#used > first ? this.readings[this.#used - 1]! : NONE;
        if (known >> (2 * BITS) === accepted[each] && greatestIn(known) === length - 1) {
          this.readings[this.#used - 1] = known + 1;
        } else {
          this.#add((((accepted[each]! << BITS) | length) << BITS) | length);
        }
      }
      if (spellings.isFinal(state)) break;
    }
    return at;
  }

  #add(reading: number): void {
    if (this.#used === this.readings.length) {
      const grown = new Int32Array(this.#used * 2);
      grown.set(this.readings);
      this.readings = grown;
    }
    this.readings[this.#used++] = reading;
  }

  #forget(turn: number): void {
    this.#turn = turn;
    this.#used = 0;
    this.#rowByte = NONE;
    this.#positions.fill(NONE);
    this.#blocks.fill(NONE);
  }
}

/** Whether the bytes from a position on are so many of one value. */
function holdsRow(bytes: Uint8Array, from: number, to: number, byte: number, length: number) {
  if (bytes[from] !== byte || from + length > to) return false;
  for (let at = from + length - 1; at > from; at--) if (bytes[at] !== byte) return false;
  return true;
}

/** A cache: secrets have mostly the same signs. */
const MAX_KEPT = 128;
const kept = new Map<string, SignReader>();

/** A reader of these characters. */
export function signReaderOf(characters: Iterable<string>): SignReader {
  const signs = [...new Set(characters)].sort();
  const key = signs.join('');
  const known = kept.get(key);
  if (known !== undefined) return known;
  if (kept.size === MAX_KEPT) kept.clear();
  const made = new SignReader(signs);
  kept.set(key, made);
  return made;
}
