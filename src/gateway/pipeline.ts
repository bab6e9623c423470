/**
 * The thirteen steps of a request, in order. Any step may refuse it; the audit line is always
 * written. The bearer token of step 1 was verified at `/mcp`.
 *
 * The invariants: step 10 connects only to the addresses that step 4 checked and *pinned*; the
 * *outbound* request, which carries credentials, exists within step 10 only; the model gets
 * only the *clean* bytes of step 11, cut in step 12.
 */
import type { Caller } from '../core/http/caller.ts';
import { describeError, type Log } from '../core/log/log.ts';
import type { Store } from '../core/store/store.ts';
import type { ToolContext } from '../mcp/tool.ts';
import { Audit, type AuditLine } from './audit.ts';
import type { ActiveConfig } from './config/active-config.ts';
import type { User } from './config/config.ts';
import { Refusal } from './request/refusal.ts';
import type { RequestArguments } from './request/request.ts';
import { checkBodySize } from './steps/check-body-size.ts';
import { checkMethod } from './steps/check-method.ts';
import { checkRequestHeaders } from './steps/check-request-headers.ts';
import { followRedirects } from './steps/follow-redirects.ts';
import { guardNetwork } from './steps/guard-network.ts';
import { checkInjection } from './steps/inject.ts';
import { matchTarget } from './steps/match-target.ts';
import { parseRequest } from './steps/parse-request.ts';
import { redactResponse } from './steps/redact-response.ts';
import { sendWithCredentials } from './steps/send-with-credentials.ts';
import { takeRateToken } from './steps/take-rate-token.ts';
import { truncate } from './steps/truncate.ts';
import type { BodyText } from './upstream/body-text.ts';
import { type CallContext, type CallContextParts, callContext } from './upstream/call-context.ts';

export interface PipelineParts extends CallContextParts {
  readonly store: Store;
  readonly log: Log;
}

/** Reports when the client cancels the call, and when it has received the result. */
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

export interface Outcome {
  readonly result: RequestResult | Refusal;
  readonly audit: Readonly<AuditLine>;
}

/** Never rejects: a fault of the gateway is the refusal `internal_error`. */
export async function handleRequest(
  caller: Caller,
  args: RequestArguments,
  client: Client,
  parts: PipelineParts,
): Promise<Outcome> {
  const { active, store } = parts;
  const audit = new Audit(caller, args, active.clean);
  const endCall = active.beginCall();
  let context: CallContext | undefined;
  try {
    const user = userOf(caller, active); //                                1
    const request = parseRequest(args); //                                 2  invalid_url
    audit.requested(request.url);
    const target = matchTarget(user, request.url); //                      3  no_target
    audit.matched(request.url, target);
    context = callContext(user, target, client, parts);
    const destination = await guardNetwork(request.url, context); //       4  blocked_network
    await takeRateToken(store, user.name, target); //                      5  rate_limited
    checkMethod(request, target); //                                       6  method_not_allowed
    checkRequestHeaders(request.headers, target); //                       7  reserved_header, invalid_header
    checkBodySize(request.body); //                                        8  request_too_large
    checkInjection(request, target); //                                    9  body_injection_failed
    audit.injected(target);
    const first = await sendWithCredentials(request, target, user, destination, context); // 10  credential_unavailable, upstream_error, upstream_timeout
    const last = await followRedirects(request, first, target, user, context); // redirect_out_of_scope and others
    audit.reading(last);
    const redactor = () => active.redactorFor(user.name);
    const isShown = request.method !== 'HEAD' && !target?.inject.body.length;
    const clean = await redactResponse(last, redactor, context, isShown); // 11
    const cut = truncate(clean, context.capBytes); //                     12
    audit.answered(clean, cut.truncated);
    context.reservation.releaseWhenSent((callback) => client.onSent(callback));
    const { status, headers } = clean;
    const id = target ? active.redactorFor(user.name).text(target.id).text : null;
    const result = { status, headers, ...cut, target: id, duration_ms: audit.elapsedMs() };
    return { result, audit: audit.line };
  } catch (error) {
    const refusal = asRefusal(error, parts.log);
    audit.refused(refusal);
    context?.reservation.release();
    return { result: refusal, audit: audit.line };
  } finally {
    context?.deadline.end();
    endCall();
    audit.write(parts.log); //                                            13
  }
}

/** The user may have been removed since the token was verified, and another may have the name. */
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
