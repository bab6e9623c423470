/** Whether `npm run test:long` runs this file. */
export const isLongRun = process.env.ALL_CASES === '1';

/**
 * How many random cases a slow property gets: a quarter of them in `npm test`, which draws others
 * each time, and all of them in `npm run test:long`.
 */
export function propertyRuns(all: number): number {
  return isLongRun ? all : Math.ceil(all / 4);
}
