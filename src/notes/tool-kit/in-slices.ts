import { setImmediate } from 'node:timers/promises';

/** How long it works before others have their turn. */
const TURN_MS = 15;
/** To look at the clock for each would take longer than many a step. */
const STEPS_A_LOOK = 64;

/** Takes one step after the other, and lets others have their turn in between. */
export async function inSlices<Step>(
  steps: Iterable<Step>,
  take: (step: Step) => void,
): Promise<void> {
  let end = performance.now() + TURN_MS;
  let count = 0;
  for (const step of steps) {
    take(step);
    if (++count % STEPS_A_LOOK !== 0 || performance.now() < end) continue;
    await setImmediate();
    end = performance.now() + TURN_MS;
  }
}
