/**
 * A monotonic clock for the lifetimes of codes, tokens, forms and sessions.
 *
 * Prevents that setting the wall clock back prolongs them. This clock starts with the wall clock and
 * never goes back. It follows the wall clock forward, because a monotonic clock stops while the machine
 * sleeps.
 */
export function steadyClock(wallMs: () => number, steadyMs: () => number): () => number {
  let aheadMs = wallMs() - steadyMs();
  return () => {
    const steady = steadyMs();
    aheadMs = Math.max(aheadMs, wallMs() - steady);
    return Math.floor(steady + aheadMs);
  };
}

/** For lifetimes only; times for people are those of the wall clock. */
export const steadyNow = steadyClock(
  () => Date.now(),
  () => performance.now(),
);
