/**
 * Step 10. Attaches the credentials of the target, signs the request and sends it.
 *
 * A 401 discards the minted tokens that the request carried. Only a request that is safe to repeat
 * (RFC 9110, section 9.2.1) is sent once more, with new ones.
 */
import type { Secret } from '../../core/secrets/secret.ts';
import type { Target, User } from '../config/config.ts';
import { Refusal } from '../request/refusal.ts';
import type { ModelRequest, OutboundRequest } from '../request/request.ts';
import type { CallContext } from '../upstream/call-context.ts';
import { exchange, type UpstreamResponse } from '../upstream/exchange.ts';
import type { Destination } from './guard-network.ts';
import { inject } from './inject.ts';
import { obtainTokens } from './obtain-tokens.ts';
import { signRequest } from './sign-request.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

export async function sendWithCredentials(
  request: ModelRequest,
  target: Target | undefined,
  user: User,
  destination: Destination,
  context: CallContext,
): Promise<UpstreamResponse> {
  const sendSigned = (withSecrets: ReadonlyMap<string, Secret>) => {
    const unsigned = inject(request, target, withSecrets, context.trace);
    return send(signRequest(unsigned, target, withSecrets, context), destination, context);
  };
  const secrets = await obtainTokens(target, user, context);
  const response = await sendSigned(secrets);
  if (response.status !== 401 || !target) return response;
  if (!discardTokens(target, user, secrets, context)) return response;
  if (!SAFE_METHODS.has(request.method)) return response;
  response.discard();
  return sendSigned(await obtainTokens(target, user, context));
}

/** To an address that the guard has checked and to no other. */
async function send(
  request: OutboundRequest,
  destination: Destination,
  { deadline, pools, owner, sending }: CallContext,
): Promise<UpstreamResponse> {
  if (deadline.isOver) throw deadline.refusal();
  if ('unreachable' in destination) {
    const message = 'the host name of the upstream could not be resolved';
    throw new Refusal(destination.unreachable, message);
  }
  const origin = `${request.scheme}://${request.host}:${request.port}`;
  const pool = await pools.for(owner, origin, destination.pinned);
  return exchange(pool, request, deadline, sending);
}

/** Whether all of them will be new ones. */
function discardTokens(
  target: Target,
  user: User,
  secrets: ReadonlyMap<string, Secret>,
  { tokens }: CallContext,
): boolean {
  const discarded = target.inject.mintedNames.map((name) =>
    tokens.discard(user.name, user.minted.get(name)!, secrets.get(name)!),
  );
  return discarded.length > 0 && discarded.every(Boolean);
}
