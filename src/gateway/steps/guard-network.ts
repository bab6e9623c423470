/**
 * Step 4. The destination is resolved once and every address of it checked; the connection
 * goes to a checked address. A lookup that fails or stalls is memoize and refused at
 * step 10 only, so that the refusals of the steps between win over it.
 */
import { guardDestination, type PinnedAddress } from '../../core/net/guard.ts';
import { Refusal, type RefusalCode } from '../request/refusal.ts';
import type { RequestUrl } from '../request/request-url.ts';
import type { CallContext } from '../upstream/call-context.ts';

export type Destination =
  | { readonly pinned: readonly PinnedAddress[] }
  | { readonly unreachable: Extract<RefusalCode, 'upstream_error' | 'upstream_timeout'> };

export async function guardNetwork(url: RequestUrl, way: CallContext): Promise<Destination> {
  const { rules, deadline } = way;
  const verdict = await guardDestination(url.host, url.port, rules, deadline);
  if (verdict.ok) return { pinned: verdict.pinned };
  if (verdict.kind === 'blocked') {
    throw new Refusal(
      'blocked_network',
      `the destination is in a blocked range (${verdict.reason}); only public addresses of other machines may be requested`,
    );
  }
  return { unreachable: verdict.cause === 'timeout' ? 'upstream_timeout' : 'upstream_error' };
}
