/**
 * Step 4 for a decoy target (a tripwire): reports the hit, and lets the call continue like one whose host
 * cannot be resolved. Nothing is looked up and nothing is connected to.
 */
import type { Caller } from '../../core/http/caller.ts';
import type { CallOrigin } from '../../core/recent-calls/recent-calls.ts';
import type { Tripwires } from '../../core/recent-calls/tripwires.ts';
import type { Target } from '../config/config.ts';
import type { Destination } from './guard-network.ts';

export type TripwireAlarm = Pick<Tripwires, 'hit'>;

export async function guardDecoy(
  { id: target }: Target,
  by: { readonly caller: Pick<Caller, 'user' | 'incarnation'>; readonly origin: CallOrigin },
  call: { readonly method: string; readonly url: string },
  tripwires: TripwireAlarm,
): Promise<Destination> {
  const { method, url } = call;
  await tripwires.hit(by.caller, by.origin, { site: 'gateway', target, method, url });
  return { unreachable: 'upstream_error' };
}
