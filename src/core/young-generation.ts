/**
 * Keeps the young generation of V8 small while the program works.
 *
 * Left alone, it grows to 128 MiB under load and never shrinks while the load lasts. A collection
 * then stops the program for as long as it takes to copy what survived of all that; with the
 * bound the pauses are more, and each is short, for about the same processor time in all. V8
 * takes its own limit only when it starts, but asks by what factor to grow at every step.
 */
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Both halves together. */
const BOUND_BYTES = 32 * 1024 * 1024;

export function boundYoungGeneration(): void {
  let mayGrow = true;
  const look = (): void => {
    if (mayGrow === youngGenerationBytes() < BOUND_BYTES) return;
    mayGrow = !mayGrow;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  };
  new PerformanceObserver(look).observe({ entryTypes: ['gc'] });
}

export function youngGenerationBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')!.space_size;
}
