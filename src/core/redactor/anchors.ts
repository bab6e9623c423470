/**
 * Chooses the anchor of a value whose signs may be spelled in any way: a run of ASCII letters and digits,
 * which is the same in every spelling. Where it occurs, the rest is verified to its right and its left.
 */
import { isLetters, partsOf } from './tokens.ts';

/** The shortest run that is searched for. */
const MIN_ANCHOR = 4;
/**
 * How often an anchor may occur in its value. With one occurrence the work is linear in the text; each
 * further one adds as much again.
 */
const MAX_OCCURRENCES = 2;
/** Equal signs in a row: each may be read in several ways, so a long row is ambiguous throughout. */
const LONG_ROW = /([^A-Za-z0-9])\1{8}/;

/** The tokens from `start` on, before `end`. */
export interface Anchor {
  readonly run: string;
  readonly start: number;
  readonly end: number;
}

/** A value, the parts that are its tokens, and the runs that may be its anchor, the longest first. */
export interface Spellable {
  readonly text: string;
  readonly parts: readonly string[];
  readonly anchors: readonly Anchor[];
  /** Without an anchor, the token by whose first two characters the value is searched for. */
  readonly pairAt: number;
}

/** Undefined if it has no sign, or cannot be searched for in linear time. */
export function spellableOf(text: string): Spellable | undefined {
  if (!/[^A-Za-z0-9]/.test(text)) return undefined;
  const parts = partsOf(text);
  const anchors = anchorsOf(text, parts);
  const pairAt = anchors.length > 0 ? 0 : pairOf(text, parts);
  return pairAt < 0 ? undefined : { text, parts, anchors, pairAt };
}

/** The longest run of each value, or the one that fewest secrets contain where others have that, too. */
export function chooseAnchors(secrets: readonly (readonly Spellable[])[]): Map<Spellable, Anchor> {
  const secretsWith = new Map<string, number>();
  for (const values of secrets) {
    for (const run of new Set(values.flatMap(({ anchors }) => anchors.map(({ run }) => run)))) {
      secretsWith.set(run, (secretsWith.get(run) ?? 0) + 1);
    }
  }
  const rarity = ({ run }: Anchor): number => secretsWith.get(run)!;
  const chosen = new Map<Spellable, Anchor>();
  for (const value of secrets.flat()) {
    const [longest] = value.anchors;
    if (longest === undefined) continue;
    const rarest = value.anchors.toSorted((a, b) => rarity(a) - rarity(b))[0]!;
    chosen.set(value, rarity(longest) === 1 ? longest : rarest);
  }
  return chosen;
}

/** The runs that occur rarely enough in the value, the longest first. */
function anchorsOf(text: string, parts: readonly string[]): Anchor[] {
  const folded = text.toLowerCase();
  return runsOf(parts)
    .filter(({ run }) => run.length >= MIN_ANCHOR && occurrences(folded, run) <= MAX_OCCURRENCES)
    .sort((a, b) => b.run.length - a.run.length);
}

/** The runs of letters and digits, but for the first character of the value. */
function runsOf(parts: readonly string[]): Anchor[] {
  const runs: Anchor[] = [];
  for (let start = 1; start < parts.length; ) {
    let end = start;
    while (end < parts.length && isLetters(parts[end]!)) end++;
    if (end > start) runs.push({ run: parts.slice(start, end).join('').toLowerCase(), start, end });
    start = Math.max(end, start + 1);
  }
  return runs;
}

/**
 * The token by whose first two characters a value is searched for: the first, or the one whose pair is
 * rarest in the value. -1 where all pairs recur: a text could then cause many long verifications.
 */
function pairOf(text: string, parts: readonly string[]): number {
  if (LONG_ROW.test(text)) return -1;
  const folded = text.toLowerCase();
  const pairs = Array.from({ length: folded.length - 1 }, (_, at) => folded.slice(at, at + 2));
  const counts = new Map<string, number>();
  for (const pair of pairs) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  let best = { index: -1, count: MAX_OCCURRENCES + 1 };
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const count = counts.get(pairs[at] ?? '') ?? Number.POSITIVE_INFINITY;
    if (index === 0 && count <= MAX_OCCURRENCES) return 0;
    if (count < best.count) best = { index, count };
    at += part.length;
  }
  return best.index;
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) count++;
  return count;
}
