/** Step 6. The target permits the method; outside a target every known method is permitted. */
import { METHODS, type Target } from '../config/config.ts';
import { Refusal } from '../refusal.ts';

export function checkMethod(method: string, target: Target | undefined): void {
  const allowed: readonly string[] = target?.methods ?? METHODS;
  if (allowed.includes(method)) return;
  throw new Refusal('method_not_allowed', `the method must be one of ${allowed.join(', ')}`);
}
