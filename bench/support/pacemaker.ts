/**
 * Tells its parent when each call is due, at an even pace. A thread of its own sleeps to a small
 * part of a millisecond; a timer is never finer than a whole one, and would send calls in bunches
 * that wait for one another.
 */
import { parentPort, workerData } from 'node:worker_threads';

export interface Pace {
  readonly callsPerSecond: number;
  readonly calls: number;
}

const { callsPerSecond, calls } = workerData as Pace;
const sleeper = new Int32Array(new SharedArrayBuffer(4));
const startedAt = performance.now();
for (let call = 0; call < calls; call++) {
  const ms = startedAt + (call * 1_000) / callsPerSecond - performance.now();
  if (ms > 0) Atomics.wait(sleeper, 0, 0, ms);
  parentPort!.postMessage(call);
}
