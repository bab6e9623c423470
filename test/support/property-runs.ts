/**
 * How many random cases a slow property gets: a quarter of them in `npm test`, which draws others
 * each time, and all of them in `npm run test:long`.
 */
export function propertyRuns(all: number): number {
  return process.env.ALL_CASES === '1' ? all : Math.ceil(all / 4);
}
