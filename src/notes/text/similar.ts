/** How alike two texts are, from 0 to 1, by the pairs of characters they share. */
function similarity(one: string, other: string): number {
  const [left, right] = [pairs(one), pairs(other)];
  if (left.size === 0 || right.size === 0) return 0;
  let shared = 0;
  for (const pair of left) if (right.has(pair)) shared++;
  return (2 * shared) / (left.size + right.size);
}

/** The candidates most like the wanted text, best first; those less alike than `least` left out. */
export function mostSimilar<Item>(
  wanted: string,
  items: readonly Item[],
  textOf: (item: Item) => string,
  limit: number,
  least = 0,
): Item[] {
  return items
    .slice(0, MAX_COMPARED)
    .map((item) => ({ item, score: similarity(wanted, textOf(item)) }))
    .filter(({ score }) => score > 0 && score >= least)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ item }) => item);
}

/** A hint is not worth more than this many comparisons of this many characters. */
const MAX_COMPARED = 20_000;
const MAX_COMPARED_LENGTH = 200;

function pairs(text: string): Set<string> {
  const folded = text.slice(0, MAX_COMPARED_LENGTH).toLowerCase().trim();
  const found = new Set<string>();
  for (let at = 0; at + 1 < folded.length; at++) found.add(folded.slice(at, at + 2));
  return found;
}
