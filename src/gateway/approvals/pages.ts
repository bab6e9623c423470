/**
 * `/approvals`: what waits for the person who is signed in, and what they have granted;
 * `/approvals/<id>`: one request, and the decision.
 *
 * Prevents a model from approving for its person: these pages take the browser session of the user and
 * nothing else (see `src/console/browser-session.ts`). A request of somebody else is as if it were not.
 */
import type { FastifyReply } from 'fastify';
import type { PageCall, Session, SignedInPages } from '../../console/browser-session.ts';
import { action, listing, moment, section, visible } from '../../console/kit.ts';
import { html } from '../../core/pages/html.ts';
import { approvalPage, MAX_REASON } from './approval-page.ts';
import type { Decisions } from './decisions.ts';
import type { DecisionKind, Entry } from './records.ts';

export const APPROVALS_PATH = '/approvals';
const SHORT = true as const;
const KINDS: readonly string[] = ['once', '15m', '1h', 'denied'] satisfies DecisionKind[];
const SAYS: Readonly<Record<string, readonly [title: string, text: string]>> = {
  once: ['Approved once', 'The request goes through now, or when the assistant sends it again.'],
  '15m': ['Allowed for 15 minutes', 'You can take it back under Approvals.'],
  '1h': ['Allowed for 1 hour', 'You can take it back under Approvals.'],
  denied: ['Denied', 'The assistant is told so.'],
};

export interface ApprovalPagesParts {
  readonly pages: SignedInPages;
  readonly decisions: Decisions;
  /** Tells the names of the apps that the person has signed in. */
  readonly signIns: {
    of(person: Session): Promise<readonly { clientId: string; clientName: string | undefined }[]>;
  };
  readonly now: () => number;
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
    if (!KINDS.includes(decision)) return pages.problem(call.reply, 400, 'unreadable');
    const reason = (call.form.get('reason') ?? '').replace(/[\p{C}\s]+/gu, ' ').trim();
    const isDecided = await decisions.decide(
      call.session,
      idOf(call),
      decision as DecisionKind,
      decision === 'denied' && reason !== '' ? reason.slice(0, MAX_REASON) : undefined,
    );
    const [title, text] = SAYS[decision]!;
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

/** For the overview of the console. */
export function waitingApprovals(parts: Omit<ApprovalPagesParts, 'pages'>) {
  return {
    of: async (session: Session) => {
      const pending = await parts.decisions.pendingOf(session);
      const names = pending.length > 0 ? await namesOf(session, parts) : String;
      return pending.map((entry) => ({
        href: `${APPROVALS_PATH}/${entry.id}`,
        ...{ atMs: entry.askedAtMs, expiresAtMs: wallTime(entry.expiresAt, parts) },
        ...{ target: entry.target, method: entry.method, url: entry.place },
        from: names(entry.client),
      }));
    },
  };
}

async function overview(call: PageCall, parts: ApprovalPagesParts): Promise<FastifyReply> {
  const { pages, decisions } = parts;
  const { session } = call;
  const names = await namesOf(session, parts);
  const csrf = pages.csrf(session);
  const what = ({
    method,
    place,
    target,
    client,
  }: Pick<Entry, 'method' | 'place' | 'target' | 'client'>) => [
    html`<b>${visible(method, 16)}</b> ${visible(place, 300)}<br><span class="soft">${visible(target, 64)}</span>`,
    names(client),
  ];
  const heads = [
    ...[{ title: 'Request' }, { title: 'From' }],
    ...[{ title: 'Ends', isShort: SHORT }, { title: '' }],
  ];
  const waiting = (await decisions.pendingOf(session)).map((entry) => [
    ...what(entry),
    moment(wallTime(entry.expiresAt, parts)),
    html`<a href="${APPROVALS_PATH}/${entry.id}">Decide<span class="unseen"> on ${visible(entry.place, 80)}</span></a>`,
  ]);
  const grants = (await decisions.grantsOf(session)).map((grant) => [
    ...what(grant),
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
async function namesOf(session: Session, { signIns }: Omit<ApprovalPagesParts, 'pages'>) {
  const named = new Map(
    (await signIns.of(session)).map(({ clientId, clientName }) => [clientId, clientName]),
  );
  return (client: string) => {
    const [, kind, id = ''] = /^(\w+) (.*)$/s.exec(client) ?? [];
    return kind === 'key' ? `the key ${id}` : `${named.get(id) ?? 'an app'} (${id})`;
  };
}

function wallTime(at: number, { now }: Pick<ApprovalPagesParts, 'now'>): number {
  return Date.now() + at - now();
}

function idOf({ request }: PageCall): string {
  return (request.params as { id: string }).id;
}
