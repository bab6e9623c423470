/**
 * Step 10, redirect check. Redirects are followed only if the target allows it, at most five. Every
 * hop passes the checks of the first request (target, network guard, method) and gets its
 * credentials anew. A hop that would need a person's approval, from this target or from one before
 * it, is not followed. The response after the fifth hop is returned as it is.
 */
import { isUtf8 } from 'node:buffer';
import type { Target, User } from '../config/config.ts';
import { Refusal } from '../request/refusal.ts';
import type { ModelRequest } from '../request/request.ts';
import { formatUrl, parseRequestUrl } from '../request/request-url.ts';
import type { CallContext } from '../upstream/call-context.ts';
import { headerOf, type UpstreamResponse } from '../upstream/exchange.ts';
import { targetThatAsks } from './approval-nearby.ts';
import { checkMethod } from './check-method.ts';
import { guardNetwork } from './guard-network.ts';
import { checkInjection } from './inject.ts';
import { accepts } from './match-target.ts';
import { needsApproval } from './obtain-approval.ts';
import { sendWithCredentials } from './send-with-credentials.ts';

const MAX_HOPS = 5;
const NEEDS_APPROVAL =
  'the upstream redirected to a request that needs its own approval; it was not followed';
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Dropped when a hop becomes a GET, which has no body. */
const BODY_HEADERS = /^content-/i;

export async function followRedirects(
  request: ModelRequest,
  first: UpstreamResponse,
  target: Target | undefined,
  user: User,
  context: CallContext,
): Promise<UpstreamResponse> {
  let [hop, response] = [request, first];
  for (let hops = 0; target?.followRedirects && hops < MAX_HOPS; hops++) {
    const location = REDIRECTS.has(response.status) ? headerOf(response, 'location') : undefined;
    if (location === undefined) break;
    response.discard();
    hop = nextRequest(hop, response.status, location, target); //  redirect_out_of_scope
    const destination = await guardNetwork(hop.url, context); //        blocked_network
    checkMethod(hop, target); //                                    method_not_allowed
    if (needsApproval(hop, target) || targetThatAsks(user, hop.url, target)) {
      throw new Refusal('redirect_out_of_scope', NEEDS_APPROVAL);
    }
    checkInjection(hop, target); //                              body_injection_failed
    response = await sendWithCredentials(hop, target, user, destination, context);
  }
  return response;
}

function nextRequest(
  request: ModelRequest,
  status: number,
  location: string,
  target: Target,
): ModelRequest {
  const url = resolveLocation(decodeUtf8(location), formatUrl(request.url));
  if ('problem' in url) {
    throw new Refusal(
      'redirect_out_of_scope',
      `the upstream redirected to an invalid URL: ${url.problem}`,
    );
  }
  if (!accepts(target, url)) {
    throw new Refusal(
      'redirect_out_of_scope',
      'the upstream redirected to a URL outside the target',
    );
  }
  const becomesGet =
    (status === 303 && request.method !== 'HEAD') ||
    ((status === 301 || status === 302) && request.method === 'POST');
  if (!becomesGet) return { ...request, url };
  const headers = Object.entries(request.headers).filter(([name]) => !BODY_HEADERS.test(name));
  return {
    url,
    method: 'GET',
    headers: Object.fromEntries(headers),
    body: undefined,
    becameGet: true,
  };
}

function resolveLocation(location: string, base: string): ReturnType<typeof parseRequestUrl> {
  const url = URL.parse(location, base);
  return url ? parseRequestUrl(url.href) : { problem: 'it is not valid' };
}

/** Headers are read as Latin-1, but servers send non-ASCII URLs as UTF-8. */
function decodeUtf8(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
