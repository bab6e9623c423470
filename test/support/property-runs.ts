/** Whether `npm run test:long` runs this file. */
export const isLongRun = process.env.ALL_CASES === '1';

const SHARE = 8;

/**
 * How many random cases a slow property gets: an eighth of them in `npm test`, which draws others
 * each time, and all of them in `npm run test:long`.
 */
export function propertyRuns(all: number): number {
  return isLongRun ? all : Math.ceil(all / SHARE);
}

/**
 * The rows of a slow table: every `share`th in `npm test`, and all in `npm run test:long`. Where two
 * tables are combined, `turn` is the place in the other one, so that `npm test` uses each row of both.
 */
export function sampleOf<Row>(rows: readonly Row[], share: number, turn = 0): readonly Row[] {
  return isLongRun ? rows : rows.filter((_, index) => (index + turn) % share === 0);
}
