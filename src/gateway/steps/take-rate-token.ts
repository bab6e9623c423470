/**
 * Step 5. Rate limit: one call takes one token from the bucket of this user and target. A call that
 * waits for a person in vain gets it back.
 */
import type { Store } from '../../core/store/store.ts';
import type { Target } from '../config/config.ts';
import { Refusal } from '../request/refusal.ts';

export async function takeRateToken(
  store: Store,
  user: string,
  target: Target | undefined,
): Promise<void> {
  if (!target?.rateLimit) return;
  const take = await store.takeToken(bucketOf(user, target), target.rateLimit);
  if (take.ok) return;
  throw new Refusal(
    'rate_limited',
    `this target allows ${target.rateLimit.text}; try again in ${take.retryAfterMs} ms`,
    { retryAfterMs: take.retryAfterMs },
  );
}

export async function returnRateToken(store: Store, user: string, target: Target): Promise<void> {
  if (target.rateLimit) await store.returnToken(bucketOf(user, target), target.rateLimit);
}

function bucketOf(user: string, { id }: Target): string {
  return `target:${user}:${id}`;
}
