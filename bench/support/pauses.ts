/**
 * How often the machine itself stops a loop that does nothing but look at the clock: with one
 * processor busy, and with all of them. No server answers during such a pause, so a p99 is read
 * beside it.
 */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

const LOOP_MS = 4_000;
const PAUSE_MS = 1;

/** Such as `0 with one processor busy, 14 with all 2 (41 ms of 8 s, the longest 5.7)`. */
export async function pausesOfMachine(): Promise<string> {
  const processors = availableParallelism();
  const alone = await pausesOf(1);
  const together = await pausesOf(processors);
  const lost = together.reduce((sum, ms) => sum + ms, 0);
  const longest = Math.max(0, ...together);
  return (
    `${alone.length} with one processor busy, ${together.length} with all ${processors} ` +
    `(${lost.toFixed(0)} ms of ${(processors * LOOP_MS) / 1_000} s, the longest ${longest.toFixed(1)})`
  );
}

async function pausesOf(loops: number): Promise<readonly number[]> {
  const workers = Array.from({ length: loops }, () => new Worker(new URL(import.meta.url)));
  const messages = await Promise.all(workers.map((worker) => once(worker, 'message')));
  return messages.flat(2);
}

function watchTheClock(): readonly number[] {
  const pauses: number[] = [];
  const end = performance.now() + LOOP_MS;
  for (let last = performance.now(); last < end; ) {
    const now = performance.now();
    if (now - last > PAUSE_MS) pauses.push(now - last);
    last = now;
  }
  return pauses;
}

if (!isMainThread) parentPort!.postMessage(watchTheClock());
