import { setImmediate } from 'node:timers/promises';

/** How long it runs before it yields to the event loop. */
const SLICE_MS = 15;
/** Reading the clock for each step would cost more than the step. */
const STEPS_PER_CLOCK_READ = 64;

/** Runs the steps in time slices and yields to the event loop between them. */
export async function inSlices<Step>(
  steps: Iterable<Step>,
  take: (step: Step) => void,
): Promise<void> {
  let end = performance.now() + SLICE_MS;
  let count = 0;
  for (const step of steps) {
    take(step);
    if (++count % STEPS_PER_CLOCK_READ !== 0 || performance.now() < end) continue;
    await setImmediate();
    end = performance.now() + SLICE_MS;
  }
}
