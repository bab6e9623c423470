/** Sørensen–Dice similarity of the character pairs of two texts, from 0 to 1. */
function similarity(one: string, other: string): number {
  const [left, right] = [pairs(one), pairs(other)];
  if (left.size === 0 || right.size === 0) return 0;
  let shared = 0;
  for (const pair of left) if (right.has(pair)) shared++;
  return (2 * shared) / (left.size + right.size);
}

/** The candidates most similar to `wanted`, best first, with a similarity of at least `least`. */
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

/** Bounds the work for what is only a suggestion. */
const MAX_COMPARED = 20_000;
const MAX_COMPARED_LENGTH = 200;

function pairs(text: string): Set<string> {
  const folded = text.slice(0, MAX_COMPARED_LENGTH).toLowerCase().trim();
  const found = new Set<string>();
  for (let at = 0; at + 1 < folded.length; at++) found.add(folded.slice(at, at + 2));
  return found;
}
