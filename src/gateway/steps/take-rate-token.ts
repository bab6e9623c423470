/** Step 5. Rate limit: one call takes one token from the bucket of this user and target. */
import type { Store } from '../../core/store/store.ts';
import type { Target } from '../config/config.ts';
import { Refusal } from '../request/refusal.ts';

export async function takeRateToken(
  store: Store,
  user: string,
  target: Target | undefined,
): Promise<void> {
  if (!target?.rateLimit) return;
  const take = await store.takeToken(`target:${user}:${target.id}`, target.rateLimit);
  if (take.ok) return;
  throw new Refusal(
    'rate_limited',
    `this target allows ${target.rateLimit.text}; try again in ${take.retryAfterMs} ms`,
    { retryAfterMs: take.retryAfterMs },
  );
}
