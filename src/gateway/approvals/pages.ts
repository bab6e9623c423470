/**
 * `/approvals`: what waits for the person who is signed in, and what they have granted;
 * `/approvals/<id>`: one request, and the decision.
 *
 * Prevents a model from approving for its person: these pages take the browser session of the user and
 * nothing else (see `src/console/browser-session.ts`). A request of another user answers 404.
 */
import type { FastifyReply } from 'fastify';
import type { PageCall, Session, SignedInPages } from '../../console/browser-session.ts';
import { action, listing, moment, section, visible } from '../../console/kit.ts';
import { type Html, html } from '../../core/pages/html.ts';
import { approvalPage, MAX_REASON } from './approval-page.ts';
import type { Decisions } from './decisions.ts';
import type { DecisionKind, Entry, Scope } from './records.ts';

export const APPROVALS_PATH = '/approvals';
const SAID: Readonly<Record<DecisionKind, readonly [title: string, text: string]>> = {
  once: ['Approved once', 'The request goes through now, or when the assistant sends it again.'],
  '15m': ['Allowed for 15 minutes', 'You can take it back under Approvals.'],
  '1h': ['Allowed for 1 hour', 'You can take it back under Approvals.'],
  denied: ['Denied', 'The assistant is told so.'],
};

export interface WaitingApproval extends Entry {
  /** The page on which it is decided. */
  readonly href: string;
  /** The app or the key that asks. */
  readonly from: string;
  readonly endsAtMs: number;
}

interface WaitingParts {
  readonly decisions: Decisions;
  /** Tells the names of the apps that the person has signed in. */
  readonly signIns: {
    of(person: Session): Promise<readonly { clientId: string; clientName: string | undefined }[]>;
  };
  readonly now: () => number;
}

interface ApprovalPagesParts extends WaitingParts {
  readonly pages: SignedInPages;
}

export function mountApprovalPages(parts: ApprovalPagesParts): void {
  const { pages, decisions } = parts;
  pages.get(APPROVALS_PATH, (call) => overview(call, parts));
  pages.get(`${APPROVALS_PATH}/:id`, async (call) => {
    const found = await decisions.find(call.session, idOf(call));
    if (!found) return pages.problem(call.reply, 404, 'not_found');
    const names = await namesOf(call.session, parts);
    const { entry } = found;
    const expiresAtMs = wallTime(entry.expiresAt, parts);
    const csrf = pages.csrf(call.session);
    const page = approvalPage({ ...found, from: names(entry.client), expiresAtMs, csrf });
    return pages.send(call, 200, page);
  });
  pages.post(`${APPROVALS_PATH}/:id`, async (call) => {
    const decision = call.form.get('decision') ?? '';
    if (!isDecision(decision)) return pages.problem(call.reply, 400, 'unreadable');
    const reason = (call.form.get('reason') ?? '').replace(/[\p{C}\s]+/gu, ' ').trim();
    const isDecided = await decisions.decide(
      call.session,
      idOf(call),
      decision,
      decision === 'denied' && reason !== '' ? reason.slice(0, MAX_REASON) : undefined,
    );
    const [title, text] = SAID[decision];
    if (isDecided) return say(call, parts, 200, title, text);
    const gone =
      'It was decided elsewhere, it has expired, or it is not yours. Nothing was changed.';
    return say(call, parts, 409, 'This request does not wait any more', gone);
  });
  pages.post(`${APPROVALS_PATH}/revoke`, async (call) => {
    await decisions.revoke(call.session, call.form.get('id') ?? '');
    return call.reply.redirect(APPROVALS_PATH, 303);
  });
}

function isDecision(text: string): text is DecisionKind {
  return Object.hasOwn(SAID, text);
}

/** What waits for this person, the oldest first. */
export async function waitingFor(
  person: Session,
  parts: WaitingParts,
): Promise<readonly WaitingApproval[]> {
  const pending = await parts.decisions.pendingOf(person);
  const names = pending.length > 0 ? await namesOf(person, parts) : String;
  return pending.map((entry) => ({
    ...entry,
    href: `${APPROVALS_PATH}/${entry.id}`,
    from: names(entry.client),
    endsAtMs: wallTime(entry.expiresAt, parts),
  }));
}

export function requestCell({ method, place, target }: Scope): Html {
  return html`<b>${visible(method, 16)}</b> ${visible(place, 300)}<br><span class="soft">${visible(target, 64)}</span>`;
}

async function overview(call: PageCall, parts: ApprovalPagesParts): Promise<FastifyReply> {
  const { pages, decisions } = parts;
  const { session } = call;
  const names = await namesOf(session, parts);
  const csrf = pages.csrf(session);
  const heads = ['Request', 'From', { short: 'Ends' }, ''];
  const waiting = (await waitingFor(session, parts)).map((one) => [
    requestCell(one),
    one.from,
    moment(one.endsAtMs),
    html`<a href="${one.href}">Decide<span class="unseen"> on ${visible(one.place, 80)}</span></a>`,
  ]);
  const grants = (await decisions.grantsOf(session)).map((grant) => [
    requestCell(grant),
    names(grant.client),
    moment(wallTime(grant.expiresAt, parts)),
    action({
      ...{ csrf, path: `${APPROVALS_PATH}/revoke`, label: 'Take back', about: grant.place },
      ...{ fields: { id: grant.id }, isDanger: true },
    }),
  ]);
  return pages.send(call, 200, {
    title: 'Approvals',
    body: html`${section('waiting', 'Waiting for you', listing('Waiting for you', heads, waiting, 'Nothing waits for you.'))}
${section('grants', 'Allowed for a while', listing('Allowed for a while', heads, grants), 'Any query and body of this method and exact path, for this app.')}`,
  });
}

function say(
  call: PageCall,
  { pages }: ApprovalPagesParts,
  status: number,
  title: string,
  text: string,
): FastifyReply {
  const body = html`<p>${text}</p>\n<p><a href="${APPROVALS_PATH}">All approvals</a></p>`;
  return pages.send(call, status, { title, body });
}

/** The app by its name, where the person has signed it in; a key by its own. */
async function namesOf(session: Session, { signIns }: WaitingParts) {
  const named = new Map(
    (await signIns.of(session)).map(({ clientId, clientName }) => [clientId, clientName]),
  );
  return (client: string) => {
    const [, kind, id = ''] = /^(\w+) (.*)$/s.exec(client) ?? [];
    return kind === 'key' ? `the key ${id}` : `${named.get(id) ?? 'an app'} (${id})`;
  };
}

function wallTime(at: number, { now }: WaitingParts): number {
  return Date.now() + at - now();
}

function idOf({ request }: PageCall): string {
  return (request.params as { id: string }).id;
}
