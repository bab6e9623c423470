/**
 * Folds text for comparison: removes case, accents, Arabic and Hebrew points, full-width forms,
 * ligatures and Unicode composition. Distinct letters stay distinct: が is not か, 학 is not 한.
 */
import { memoize } from '../../../core/memoize.ts';

export interface FoldedText {
  readonly text: string;
  /** The offset in the original text of an offset in the folded text. */
  originOf(offset: number): number;
}

/** Optional marks; those of kana and of Indian scripts are part of the letter. */
const MARKS =
  '\\u0300-\\u036f\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u0640' +
  '\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed' +
  '\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe00-\\ufe0f\\ufe20-\\ufe2f';
export const OPTIONAL_MARKS = new RegExp(`[${MARKS}]+`, 'gu');

/**
 * A non-ASCII character with its marks (for half-width kana separate characters), or a decomposed
 * Hangul syllable.
 */
const CLUSTER =
  /(?:[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|[\0-\x7f](?=\p{M})|[^\0-\x7f])[\p{M}\uff9e\uff9f]*/gu;
const NOT_ASCII = /[^\0-\x7f]/;

export function foldText(text: string): string {
  const folded = NOT_ASCII.test(text) ? text.replace(CLUSTER, foldCluster) : text;
  return folded.toLowerCase();
}

export function foldWithPlaces(text: string): FoldedText {
  if (!NOT_ASCII.test(text)) return { text: text.toLowerCase(), originOf: (place) => place };
  // The offsets after which the distance between folded and original text changes.
  const places: { readonly folded: number; readonly original: number }[] = [];
  let shift = 0;
  const folded = text.replace(CLUSTER, (cluster, at: number) => {
    const plain = foldCluster(cluster);
    if (plain.length === cluster.length) return plain;
    const end = at + cluster.length;
    shift += cluster.length - plain.length;
    places.push({ folded: end - shift, original: end });
    return plain;
  });
  return { text: folded.toLowerCase(), originOf: (place) => originOf(places, place) };
}

function originOf(
  places: readonly { readonly folded: number; readonly original: number }[],
  place: number,
): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (places[middle]!.folded <= place) low = middle + 1;
    else high = middle;
  }
  const { folded, original } = places[low - 1] ?? { folded: 0, original: 0 };
  return Math.min(original + place - folded, places[low]?.original ?? Number.POSITIVE_INFINITY);
}

/** Normalizes before and after lower-casing, for `İ` and the Kelvin sign. */
const foldCluster = memoize((cluster) => {
  const plain = cluster.normalize('NFKD').toLowerCase().normalize('NFKD');
  return plain.replace(OPTIONAL_MARKS, '').replaceAll('ς', 'σ').normalize('NFC');
});
