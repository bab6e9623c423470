/** Measures of a ranking against the notes that answer a question. */

export interface Measures {
  readonly hitsAt1: number;
  readonly hitsAt5: number;
  readonly hitsAt10: number;
  readonly mrr: number;
  readonly ndcgAt10: number;
}

/** A ranking, best first and without repeats, and what it should hold, which is never empty. */
export interface Ranked {
  readonly found: readonly string[];
  readonly right: readonly string[];
}

const CUT = 10;

/** 1 if one of the right notes is among the first `cut`, else 0. */
export function hitAt(cut: number, { found, right }: Ranked): number {
  return found.slice(0, cut).some((path) => right.includes(path)) ? 1 : 0;
}

/** 1 / rank of the first right note among the first ten, 0 without one. */
export function reciprocalRank({ found, right }: Ranked): number {
  const index = found.slice(0, CUT).findIndex((path) => right.includes(path));
  return index < 0 ? 0 : 1 / (index + 1);
}

/** Each right note gains 1 / log2(rank + 1); divided by what the best possible ranking gains. */
export function ndcgAt10({ found, right }: Ranked): number {
  const gains = found.slice(0, CUT).map((path) => (right.includes(path) ? 1 : 0));
  const ideal = right.slice(0, CUT).map(() => 1);
  return discounted(gains) / discounted(ideal);
}

/** The mean of each measure over all questions. */
export function measure(rankings: readonly Ranked[]): Measures {
  const mean = (of: (ranked: Ranked) => number) =>
    rankings.reduce((sum, ranked) => sum + of(ranked), 0) / rankings.length;
  return {
    hitsAt1: mean((ranked) => hitAt(1, ranked)),
    hitsAt5: mean((ranked) => hitAt(5, ranked)),
    hitsAt10: mean((ranked) => hitAt(10, ranked)),
    mrr: mean(reciprocalRank),
    ndcgAt10: mean(ndcgAt10),
  };
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);
}
