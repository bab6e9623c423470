/**
 * What two bytes next to each other say about the spellings of a character.
 *
 * A text is read backward from where a spelling ends as long as this allows. To read it by an automaton
 * took ten times the states, and to try every beginning ten times as long.
 */
import { DEPTH, escapesAt, isAlphanumeric, sequencesOf } from './escapes.ts';
import { FOLD } from './fold.ts';

/** By folded byte, and by 256 times one and the next: 1 where it is so in some spelling. */
export interface Outline {
  readonly last: Uint8Array;
  readonly pairs: Uint8Array;
}

/** The outline of all spellings of some characters. */
export function outlineOf(characters: readonly string[]): Outline {
  const parts = characters.flatMap(sequencesOf).map((codes) => partsOf(codes, DEPTH));
  return {
    last: tableOf(
      256,
      parts.map(({ last }) => last),
    ),
    pairs: tableOf(
      0x10000,
      parts.map(({ pairs }) => pairs),
    ),
  };
}

/** The bytes that spellings may begin with, end with, and hold one behind the other. */
interface Parts {
  readonly first: Set<number>;
  readonly last: Set<number>;
  readonly pairs: Set<number>;
}

/** What is in one of the sets, as 1. */
function tableOf(size: number, sets: readonly Set<number>[]): Uint8Array {
  const table = new Uint8Array(size);
  for (const set of sets) for (const index of set) table[index] = 1;
  return table;
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
