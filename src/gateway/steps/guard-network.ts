/**
 * Step 4. Prevents SSRF (CWE-918) and DNS rebinding: the host is resolved once, every address is
 * checked, and step 10 connects to a checked address. A failed or slow lookup is reported in step 10,
 * so that the refusals of the steps between take precedence.
 */
import { guardDestination, type PinnedAddress } from '../../core/net/guard.ts';
import { Refusal, type RefusalCode } from '../request/refusal.ts';
import type { RequestUrl } from '../request/request-url.ts';
import type { CallContext } from '../upstream/call-context.ts';

export type Destination =
  | { readonly pinned: readonly PinnedAddress[] }
  | { readonly unreachable: Extract<RefusalCode, 'upstream_error' | 'upstream_timeout'> };

export async function guardNetwork(url: RequestUrl, context: CallContext): Promise<Destination> {
  const { rules, deadline } = context;
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
