/** Step 10. Sends the request, to an address that the guard has checked and to no other. */
import { Refusal } from '../request/refusal.ts';
import type { OutboundRequest } from '../request/request.ts';
import type { CallContext } from '../upstream/call-context.ts';
import { exchange, type UpstreamResponse } from '../upstream/exchange.ts';
import type { Destination } from './guard-network.ts';

export async function send(
  request: OutboundRequest,
  destination: Destination,
  context: CallContext,
): Promise<UpstreamResponse> {
  if (context.deadline.isOver) throw context.deadline.refusal();
  if ('unreachable' in destination) {
    throw new Refusal(
      destination.unreachable,
      'the host name of the upstream could not be resolved',
    );
  }
  const origin = `${request.scheme}://${request.host}:${request.port}`;
  const pool = await context.pools.for(context.owner, origin, destination.pinned);
  return exchange(pool, request, context.deadline, context.sending);
}
