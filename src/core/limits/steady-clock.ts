/**
 * The clock by which lifetimes are measured: codes, tokens, forms, sessions.
 *
 * The attack: a clock that is set back gives everything that was about to end as much longer to
 * live. This clock begins with the wall clock and never goes back: set back, it goes on at its own
 * pace. It does follow the wall clock forward, since a machine that sleeps counts no time itself.
 */
export function steadyClock(wallMs: () => number, steadyMs: () => number): () => number {
  let aheadMs = wallMs() - steadyMs();
  return () => {
    const steady = steadyMs();
    aheadMs = Math.max(aheadMs, wallMs() - steady);
    return Math.floor(steady + aheadMs);
  };
}

/** For lifetimes only; what people are shown is the wall clock's. */
export const steadyNow = steadyClock(
  () => Date.now(),
  () => performance.now(),
);
