/**
 * Keeps one object of `process.nextTick` for as long as the process lives.
 *
 * V8 forgets the shape of objects of which a collection found none. The objects of
 * `process.nextTick` have computed keys, and code that has met such a shape twice is never
 * compiled well again: each tick then takes a microsecond, and a call of the cheapest tool a
 * third more CPU, until the process ends. With one of them alive the shape stays.
 */
import { executionAsyncResource } from 'node:async_hooks';

let keptTick: object | undefined;

export function keepTickShape(): void {
  if (keptTick) return;
  process.nextTick(() => {
    keptTick = executionAsyncResource();
  });
}
