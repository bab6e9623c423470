/**
 * The thirteen steps of a request, in order. Any step may end it with a refusal; the audit
 * line is written whatever happens. The bearer token of step 1 was judged at `/mcp`.
 *
 * What to look for: the addresses *pinned* in the destination of step 4 are what step 10
 * connects to; the *outbound* request with its credentials lives between steps 9 and 10 only;
 * the *clean* bytes of step 11 are what step 12 cuts and the model gets.
 */
import type { Caller } from '../core/http/caller.ts';
import { describeError, type Log } from '../core/log/log.ts';
import type { Store } from '../core/store/store.ts';
import type { ToolContext } from '../mcp/tool.ts';
import { Audit } from './audit.ts';
import type { ActiveConfig } from './config/active-config.ts';
import type { User } from './config/config.ts';
import { Refusal } from './request/refusal.ts';
import type { RequestArguments } from './request/request.ts';
import { checkBodySize } from './steps/check-body-size.ts';
import { checkMethod } from './steps/check-method.ts';
import { checkRequestHeaders } from './steps/check-request-headers.ts';
import { followRedirects } from './steps/follow-redirects.ts';
import { guardNetwork } from './steps/guard-network.ts';
import { inject } from './steps/inject.ts';
import { matchTarget } from './steps/match-target.ts';
import { parseRequest } from './steps/parse-request.ts';
import { redactResponse } from './steps/redact-response.ts';
import { send } from './steps/send.ts';
import { takeRateToken } from './steps/take-rate-token.ts';
import { truncate } from './steps/truncate.ts';
import type { BodyText } from './upstream/body-text.ts';
import { type CallContext, callContext, type WayOutParts } from './upstream/call-context.ts';

export interface PipelineParts extends WayOutParts {
  readonly store: Store;
  readonly log: Log;
}

/** The other end of the call: whether it is still there, and when it has the answer. */
export type Client = Pick<ToolContext, 'onCancelled' | 'onSent'>;

export interface RequestResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodyText;
  /** Present when the body is not UTF-8 text. */
  readonly body_encoding?: 'base64';
  readonly truncated: boolean;
  readonly target: string | null;
  readonly duration_ms: number;
}

export async function handleRequest(
  caller: Caller,
  args: RequestArguments,
  client: Client,
  parts: PipelineParts,
): Promise<RequestResult> {
  const { active, store } = parts;
  const audit = new Audit(caller, args, active.clean);
  const endCall = active.beginCall();
  let way: CallContext | undefined;
  try {
    const user = userOf(caller, active); //                                1
    const request = parseRequest(args); //                                 2  invalid_url
    audit.requested(request.url);
    const target = matchTarget(user, request.url); //                      3  no_target
    audit.matched(request.url, target);
    way = callContext(user, target, client, parts);
    const destination = await guardNetwork(request.url, way); //           4  blocked_network
    await takeRateToken(store, user.name, target); //                      5  rate_limited
    checkMethod(request, target); //                                       6  method_not_allowed
    checkRequestHeaders(request.headers, target); //                       7  reserved_header, invalid_header
    checkBodySize(request.body); //                                        8  request_too_large
    const outbound = inject(request, target, user); //                     9  body_injection_failed
    audit.injected(target);
    const first = await send(outbound, destination, way); //              10  upstream_error, upstream_timeout
    const last = await followRedirects(request, first, target, user, way); // redirect_out_of_scope and others
    audit.reading(last);
    const redactor = () => active.redactorFor(user.name);
    const isShown = request.method !== 'HEAD' && !target?.inject.body.length;
    const clean = await redactResponse(last, redactor, way, isShown); //  11
    const cut = truncate(clean, way.capBytes); //                         12
    audit.answered(clean, cut.truncated);
    way.place.leaveWhenSent((callback) => client.onSent(callback));
    const { status, headers } = clean;
    const id = target ? active.redactorFor(user.name).text(target.id).text : null;
    return { status, headers, ...cut, target: id, duration_ms: audit.elapsedMs() };
  } catch (error) {
    const refusal = asRefusal(error, parts.log);
    audit.refused(refusal);
    way?.place.leave();
    throw refusal;
  } finally {
    way?.deadline.end();
    endCall();
    audit.write(parts.log); //                                            13
  }
}

/** The user may have been removed since the token was judged, and the name given to another. */
function userOf(caller: Caller, active: ActiveConfig): User {
  const user = active.userOf(caller);
  if (!user) throw new Refusal('no_target', 'this user is no longer configured');
  return user;
}

function asRefusal(error: unknown, log: Log): Refusal {
  if (error instanceof Refusal) return error;
  log.error('internal_error', { message: describeError(error) });
  return new Refusal('internal_error', 'the gateway failed; its log has the cause');
}
