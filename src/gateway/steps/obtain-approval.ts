/**
 * Between steps 9 and 10. Before a request that needs a person's approval has it, nothing is minted,
 * signed or sent.
 *
 * A client that can open a page for its user waits here for the decision; for any other the call is
 * refused, and the same call after the approval passes. What may have changed during the wait is
 * judged again: the configuration and the sign-in of the client here, the destination by step 4.
 */
import type { Caller } from '../../core/http/caller.ts';
import { REDACTED, Secret } from '../../core/secrets/secret.ts';
import type { Store } from '../../core/store/store.ts';
import type { Peer } from '../../mcp/elicitation/peer.ts';
import type { Approval, ApprovalAsk, ApprovalGate, Judgement } from '../approvals/approvals.ts';
import { type AskPerson, askPersonThrough } from '../approvals/ask-person.ts';
import type { ShownRequest } from '../approvals/records.ts';
import type { Target } from '../config/config.ts';
import { matchesFolded, spellingsOf } from '../request/path-spellings.ts';
import { Refusal } from '../request/refusal.ts';
import { headerPairs, type ModelRequest, type RequestBody } from '../request/request.ts';
import { formatUrl } from '../request/request-url.ts';
import type { CallContext } from '../upstream/call-context.ts';
import { inject } from './inject.ts';
import { returnRateToken } from './take-rate-token.ts';

type Pending = Extract<Judgement, { kind: 'pending' }>;

export interface AskedClient {
  /** Absent at the HTTP door. */
  readonly peer?: Peer;
  /** Whether the token of the call is still good. */
  isAlive?(): Promise<boolean>;
}

interface ApprovalParts {
  readonly approvals: ApprovalGate;
  readonly store: Store;
  readonly active: { readonly generation: number };
}

/** Paths match in every spelling, since what an upstream takes for one of them is one. */
export function needsApproval(
  { method, url }: Pick<ModelRequest, 'method' | 'url'>,
  target: Target | undefined,
): target is Target {
  const { methods, paths } = target?.approve ?? { methods: [], paths: [] };
  if (!(methods as readonly string[]).includes(method)) return false;
  return spellingsOf(url.matchPath).some((path) => matchesFolded(paths, path));
}

/** Undefined where none is needed. `name` is that of the client or key. */
export async function obtainApproval(
  request: ModelRequest,
  target: Target | undefined,
  { user, incarnation }: Caller,
  { name, client }: { readonly name: string; readonly client: AskedClient },
  context: CallContext,
  parts: ApprovalParts,
): Promise<Approval | undefined> {
  if (!needsApproval(request, target)) return undefined;
  const { approvals, store } = parts;
  const asker = { user, incarnation, client: name };
  const ask = { asker, target, request, show: () => showRequest(request, target) };
  let judgement = await approvals.judge(ask);
  const askPerson = judgement.kind === 'pending' && askPersonThrough(client.peer);
  if (judgement.kind === 'pending' && askPerson && approvals.beginWait(user)) {
    try {
      judgement = await waitForDecision(judgement, askPerson, ask, client, context, parts);
    } finally {
      approvals.endWait(user);
    }
    context.deadline.restart(target.timeoutMs);
  }
  if (judgement.kind === 'approved') return judgement.approval;
  await returnRateToken(store, user, target);
  throw refusalFor(judgement);
}

/** Waits for the decision, until the person declines to look or the request expires. */
async function waitForDecision(
  pending: Pending,
  askPerson: AskPerson,
  ask: ApprovalAsk,
  client: AskedClient,
  { deadline, owner }: CallContext,
  { approvals, active }: ApprovalParts,
): Promise<Judgement> {
  const ended = new AbortController();
  deadline.restart(pending.leftMs);
  deadline.onOver(() => ended.abort());
  askPerson(pending, ended.signal).then(
    (isAsked) => isAsked || ended.abort(),
    () => ended.abort(),
  );
  try {
    for (;;) {
      // Listens first, so that no decision is missed in between.
      const next = approvals.decided(pending.id, ended.signal);
      const judgement = await approvals.judge(ask);
      if (judgement.kind !== 'pending' || judgement.id !== pending.id) return judgement;
      await next;
      if (deadline.isCancelled) throw deadline.refusal();
      if (ended.signal.aborted) return pending;
      // The configuration or the sign-in may have changed; the same call, sent again, is judged anew.
      if (active.generation !== owner.generation || !(await client.isAlive?.())) return pending;
    }
  } finally {
    ended.abort();
  }
}

function refusalFor(judgement: Exclude<Judgement, { kind: 'approved' }>): Refusal {
  if (judgement.kind === 'pending') {
    const { id, url } = judgement;
    return new Refusal(
      'approval_required',
      `this request needs approval: ask the user to open ${url}, and send the same call again once they have decided`,
      { approval: { id, url } },
    );
  }
  const reason = judgement.reason === undefined ? '' : `, who says: ${judgement.reason}`;
  return new Refusal(
    'approval_denied',
    `the user has denied this request${reason}; do not send it again`,
    { approval: { id: judgement.id } },
  );
}

/** As it would be sent, but for the secrets and the signature. */
function showRequest(request: ModelRequest, target: Target): ShownRequest {
  const names = target.inject.secretNames;
  const placeholders = new Map(names.map((name) => [name, new Secret(name, REDACTED)]));
  const { method, path, headers, body } = inject(request, target, placeholders);
  const query = path.slice(request.url.sendPath.length + 1);
  return {
    method,
    url: formatUrl(request.url, query.replaceAll(encodeURIComponent(REDACTED), REDACTED)),
    headers: headerPairs(headers).map(([name, value]) => [
      name,
      Buffer.from(value, 'latin1').toString('utf8'),
    ]),
    body: shownBody(body),
    signed: target.inject.sign?.kind,
  };
}

function shownBody(body: RequestBody | undefined): ShownRequest['body'] {
  if (body === undefined) return undefined;
  return typeof body === 'string' ? { text: body } : { base64: body.toString('base64') };
}
