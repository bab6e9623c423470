/** The apps that are signed in for a person, with their last use, and the end of one or of all of an app. */
import type { FastifyReply } from 'fastify';
import type { Log } from '../core/log/log.ts';
import { html } from '../core/pages/html.ts';
import type { ListedSignIn, ListedSignIns } from '../oauth/listed-sign-ins.ts';
import { type FormCall, type PageCall, type SignedInPages, skipOf } from './browser-session.ts';
import { action, listing, moment, section, visible } from './kit.ts';

export interface SignInsPageParts {
  readonly pages: SignedInPages;
  readonly signIns: ListedSignIns;
  readonly log: Log;
}

const ON_PAGE = 30;
export const SIGN_INS_PATH = '/console/sign-ins';

export function mountSignInsPage(parts: SignInsPageParts): void {
  parts.pages.get(SIGN_INS_PATH, (call) => show(call, parts));
  parts.pages.post(`${SIGN_INS_PATH}/end`, (call) => end(call, parts));
}

async function show(call: PageCall, { pages, signIns }: SignInsPageParts): Promise<FastifyReply> {
  const csrf = pages.csrf(call.session);
  const listed = await signIns.of(call.session);
  const button = (label: string, about: string, fields: Record<string, string>) =>
    action({ csrf, path: `${SIGN_INS_PATH}/end`, label, about, fields, isDanger: true });
  const skip = skipOf(call);
  const all = [...Map.groupBy(listed, ({ clientId }) => clientId)].flatMap(([clientId, own]) =>
    own.map((one, at) => {
      const name = nameOf(one);
      const hasMore = own.length > 1 && at === 0;
      return [
        html`${visible(name, 80)}<br><span class="soft">${visible(clientId, 80)}</span>`,
        moment(one.usedAt),
        moment(one.renewedAt),
        html`${button('Sign out', `${name}, last used ${when(one)}`, { id: one.id })}${hasMore && button(`Sign out all ${own.length}`, name, { client: clientId })}`,
      ];
    }),
  );
  const rows = all.slice(skip, skip + ON_PAGE);
  const next = skip + ON_PAGE;
  const heads = ['App', { short: 'Last use (UTC)' }, { short: 'Tokens renewed' }, ''];
  return pages.send(call, 200, {
    title: 'Sign-ins',
    body: section(
      'sign-ins',
      'Apps',
      html`${listing('Apps', heads, rows, 'No app is signed in.')}${
        all.length > next && html`<p><a href="${SIGN_INS_PATH}?skip=${next}">More</a></p>`
      }`,
      'An app that is signed out can do nothing until you sign in with it again.',
    ),
  });
}

/** Ends nothing, and reveals nothing, for the id or the client of another user. */
async function end(
  call: FormCall,
  { pages, signIns, log }: SignInsPageParts,
): Promise<FastifyReply> {
  const { session, form } = call;
  const [id, client] = [form.get('id'), form.get('client')];
  const chosen = (await signIns.of(session)).filter((one) =>
    id === null ? one.clientId === client : one.id === id,
  );
  if (chosen.length === 0) return pages.problem(call.reply, 404, 'not_found');
  for (const one of chosen) {
    if (!(await signIns.end(session, one.id))) continue;
    log.info('sign_in_ended', { user: session.user, client_id: one.clientId });
  }
  return pages.back(call, SIGN_INS_PATH, 'signed_out');
}

function nameOf({ clientName }: ListedSignIn): string {
  return clientName ?? 'An app without a name';
}

function when({ usedAt }: ListedSignIn): string {
  return new Date(usedAt).toISOString().slice(0, 16).replace('T', ' ');
}
