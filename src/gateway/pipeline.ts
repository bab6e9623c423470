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
import type { RecentCalls } from '../core/recent-calls/recent-calls.ts';
import { RETRY_AFTER_S, StoreUnavailable } from '../core/store/shared-store.ts';
import type { Store } from '../core/store/store.ts';
import type { ToolContext } from '../mcp/tool.ts';
import type { Approval, ApprovalGate } from './approvals/approvals.ts';
import { Audit, type AuditLine } from './audit.ts';
import type { ActiveConfig } from './config/active-config.ts';
import type { Target, User } from './config/config.ts';
import { Refusal } from './request/refusal.ts';
import type { ModelRequest, RequestArguments } from './request/request.ts';
import type { RequestUrl } from './request/request-url.ts';
import { checkBodySize } from './steps/check-body-size.ts';
import { checkMethod } from './steps/check-method.ts';
import { checkRequestHeaders } from './steps/check-request-headers.ts';
import { followRedirects } from './steps/follow-redirects.ts';
import { guardDecoy, type TripwireAlarm } from './steps/guard-decoy.ts';
import { guardNetwork } from './steps/guard-network.ts';
import { checkInjection } from './steps/inject.ts';
import { matchTarget } from './steps/match-target.ts';
import { type AskedClient, obtainApproval } from './steps/obtain-approval.ts';
import { parseRequest } from './steps/parse-request.ts';
import { redactResponse } from './steps/redact-response.ts';
import { sendWithCredentials } from './steps/send-with-credentials.ts';
import { takeRateToken } from './steps/take-rate-token.ts';
import { truncate } from './steps/truncate.ts';
import type { BodyText } from './upstream/body-text.ts';
import {
  type CallContext,
  type CallContextParts,
  callContext,
  MAX_MCP_RESPONSE_BYTES,
  type SentCall,
} from './upstream/call-context.ts';
import type { UpstreamResponse } from './upstream/exchange.ts';

export interface PipelineParts extends CallContextParts {
  readonly store: Store;
  readonly log: Log;
  readonly recent: RecentCalls;
  readonly approvals: ApprovalGate;
  readonly tripwires: TripwireAlarm;
}

/** Reports when the client cancels the call, and when it has received the result. */
export type Client = Pick<ToolContext, 'onCancelled' | 'onSent' | 'trace'> & AskedClient;

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

export interface Outcome<Answer = RequestResult> {
  readonly result: Answer | Refusal;
  readonly audit: Readonly<AuditLine>;
}

/** What differs between the two ways in: a tool call over MCP, and the HTTP door. */
export interface Entry<Answer> {
  readonly audit: Audit;
  /** Of the client or key: an approval is bound to it. */
  readonly name: string;
  readonly client: Client;
  readonly maxCapBytes: number;
  parseRequest(user: User): ModelRequest;
  matchTarget(user: User, url: RequestUrl): Target | undefined;
  /** Steps 11 and 12, buffered or as the body streams. */
  answer(response: UpstreamResponse, call: SentCall): Promise<Answer>;
}

/** A tool call. Never rejects: a fault of the gateway is the refusal `internal_error`. */
export function handleRequest(
  caller: Caller,
  args: RequestArguments,
  client: Client,
  parts: PipelineParts,
): Promise<Outcome> {
  const { active } = parts;
  const audit = new Audit({ ...caller, door: 'mcp' }, args, active.clean);
  const entry: Entry<RequestResult> = {
    audit,
    name: `client ${caller.clientId}`,
    client,
    maxCapBytes: MAX_MCP_RESPONSE_BYTES,
    parseRequest: () => parseRequest(args),
    matchTarget,
    answer: async (response, { request, target, context, redaction }) => {
      const isShown = request.method !== 'HEAD' && !target?.inject.body.length;
      const clean = await redactResponse(response, redaction, context, isShown);
      const cut = truncate(clean, context.capBytes);
      audit.answered(clean, cut.truncated);
      context.reservation.releaseWhenSent((callback) => client.onSent(callback));
      const { status, headers } = clean;
      const id = target ? redaction().text(target.id).text : null;
      return { status, headers, ...cut, target: id, duration_ms: audit.elapsedMs() };
    },
  };
  return runSteps(caller, entry, parts);
}

/** The thirteen steps. Never rejects. */
export async function runSteps<Answer>(
  caller: Caller,
  entry: Entry<Answer>,
  parts: PipelineParts,
): Promise<Outcome<Answer>> {
  const { active, store } = parts;
  const { audit, client } = entry;
  const endCall = active.beginCall();
  let context: CallContext | undefined;
  let approval: Approval | undefined;
  audit.traced(client.trace);
  try {
    const user = userOf(caller, active); //                                1
    const request = entry.parseRequest(user); //                           2  invalid_url
    audit.requested(request.url);
    const target = entry.matchTarget(user, request.url); //                3  no_target
    audit.matched(request.url, target);
    context = callContext(user, target, client, entry.maxCapBytes, parts);
    const checked = target?.isDecoy //                                     4  blocked_network
      ? await guardDecoy(target, audit.by, audit.line, parts.tripwires)
      : await guardNetwork(request.url, context);
    await takeRateToken(store, user.name, target); //                      5  rate_limited
    checkMethod(request, target); //                                       6  method_not_allowed
    checkRequestHeaders(request.headers, target); //                       7  reserved_header, invalid_header
    checkBodySize(request.body); //                                        8  request_too_large
    checkInjection(request, target); //                                    9  body_injection_failed
    approval = await obtainApproval(request, target, caller, entry, context, parts); // approval_required, approval_denied
    if (approval) audit.approved(approval);
    const destination = approval ? await guardNetwork(request.url, context) : checked; // 4 again, after a wait
    audit.injected(target);
    const first = await sendWithCredentials(request, target, user, destination, context); // 10  credential_unavailable, upstream_error, upstream_timeout
    const last = await followRedirects(request, first, target, user, context); // redirect_out_of_scope and others
    audit.reading(last);
    const { callSecrets } = context;
    const redaction = () => callSecrets.redaction(active.redactorFor(user.name));
    const call = { request, target, context, redaction };
    const result = await entry.answer(last, call); //                     11 redact, 12 truncate
    return { result, audit: audit.line };
  } catch (error) {
    const refusal = asRefusal(error, parts.log);
    audit.refused(refusal);
    context?.reservation.release();
    if (!context?.sending.hasBegun) await approval?.giveBack().catch(() => {});
    return { result: refusal, audit: audit.line };
  } finally {
    context?.deadline.end();
    endCall();
    audit.write(parts); //                                                13
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
  if (error instanceof StoreUnavailable) {
    const retryAfterMs = RETRY_AFTER_S * 1_000;
    return new Refusal('internal_error', error.message, { status: 503, retryAfterMs });
  }
  log.error('internal_error', { message: describeError(error) });
  return new Refusal('internal_error', 'the gateway failed; its log has the cause');
}
