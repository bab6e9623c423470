/**
 * Which bytes may follow each other in the spellings of a character.
 *
 * A text is read backward from the end of a spelling as long as this allows. An automaton took ten times
 * the states, and trying every beginning ten times as long.
 */
import { DEPTH, escapesAt, isAlphanumeric, sequencesOf } from './escapes.ts';
import { FOLD } from './fold.ts';

/**
 * By folded byte, 1 where it is so in some spelling; by `indexOfPair`, a bit that is 1. A byte for each
 * pair of 256 took 64 KiB a character, and this 2 KiB.
 */
export interface Outline {
  readonly last: Uint8Array;
  readonly pairs: Int32Array;
}

/** Of two bytes, which are folded together with those beyond ASCII. */
export const indexOfPair = (byte: number, next: number): number =>
  ((FOLD[byte]! & 127) << 7) | (FOLD[next]! & 127);

/** The outline of all spellings of some characters. */
export function outlineOf(characters: readonly string[]): Outline {
  const outline = { last: new Uint8Array(256), pairs: new Int32Array(512) };
  for (const codes of characters.flatMap(sequencesOf)) {
    const { last, pairs } = partsOf(codes, DEPTH);
    for (const byte of last) outline.last[byte] = 1;
    for (const pair of pairs) {
      const index = indexOfPair(pair >> 8, pair & 255);
      outline.pairs[index >> 5]! |= 1 << (index & 31);
    }
  }
  return outline;
}

/** The bytes that spellings may begin with, end with, and hold one behind the other. */
interface Parts {
  readonly first: Set<number>;
  readonly last: Set<number>;
  readonly pairs: Set<number>;
}

const known = new Map<string, Parts>();

/** That of codes one behind the other, each spelled at a depth. */
function partsOf(codes: readonly number[], depth: number): Parts {
  const parts = codes.map((code) => partsOfCode(code, depth));
  const pairs = new Set(parts.flatMap((part) => [...part.pairs]));
  for (const [index, { first }] of parts.entries()) {
    for (const byte of parts[index - 1]?.last ?? []) {
      for (const next of first) pairs.add(byte * 256 + next);
    }
  }
  return { first: parts[0]!.first, last: parts.at(-1)!.last, pairs };
}

function partsOfCode(code: number, depth: number): Parts {
  const key = `${code} ${depth}`;
  const made = known.get(key);
  if (made !== undefined) return made;
  const raw = code < 0x100 ? [FOLD[code]!] : [];
  const outline = { first: new Set(raw), last: new Set(raw), pairs: new Set<number>() };
  const isRaw = depth === 0 || (depth < DEPTH && isAlphanumeric(code));
  for (const written of isRaw ? [] : escapesAt(code, depth)) {
    const { first, last, pairs } = partsOf([...Buffer.from(written, 'latin1')], depth - 1);
    for (const byte of first) outline.first.add(byte);
    for (const byte of last) outline.last.add(byte);
    for (const pair of pairs) outline.pairs.add(pair);
  }
  known.set(key, outline);
  return outline;
}
