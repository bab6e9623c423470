/**
 * The file that starts a program: that of the checkout, or of the build that `test/run.ts` makes,
 * which starts in two thirds of the time.
 */
import { join } from 'node:path';

const { TEST_BUILD } = process.env;
const ROOT = join(import.meta.dirname, '../../..');

export function entryOf(program: 'gateway' | 'notes' | 'decoys'): string {
  return TEST_BUILD === undefined
    ? join(ROOT, `bin/${program}.ts`)
    : join(TEST_BUILD, `dist/bin/${program}.js`);
}
