/**
 * Keeps one object of `process.nextTick` for the life of the process.
 *
 * V8 drops the hidden class of objects when a collection finds none alive. The objects of
 * `process.nextTick` have computed keys, and code that has met their hidden class twice is not optimized
 * again: a call of the cheapest tool then takes a third more processor time until the process ends.
 */
import { executionAsyncResource } from 'node:async_hooks';

let keptTick: object | undefined;

export function keepTickShape(): void {
  if (keptTick) return;
  process.nextTick(() => {
    keptTick = executionAsyncResource();
  });
}
