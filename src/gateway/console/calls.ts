/** The recent calls of the user, filtered by the query of the page, and one of them in detail. */
import type { FastifyReply } from 'fastify';
import { type PageCall, queryOf } from '../../console/browser-session.ts';
import { facts, listing, moment, section, visible } from '../../console/kit.ts';
import { LIVE_SCRIPT } from '../../console/live.ts';
import { type Html, html } from '../../core/pages/html.ts';
import type { RecentCall } from '../../core/recent-calls/recent-calls.ts';
import type { GatewayConsoleParts } from './parts.ts';
import { isFailed } from './target-figures.ts';

const ON_PAGE = 40;
const MAX_FILTER = 300;
const OUTCOMES = { '': 'Any', ok: 'Answered', failed: 'Failed or refused' } as const;

interface Filter {
  readonly target: string;
  readonly outcome: string;
  /** Part of method, host or path. */
  readonly text: string;
  /** Older than the call with this id. */
  readonly before: number;
}

export async function calls(call: PageCall, parts: GatewayConsoleParts): Promise<FastifyReply> {
  const { pages, recent, active } = parts;
  const filter = filterOf(queryOf(call.request));
  const found = recent.ofUser(call.session).filter((one) => isWanted(one, filter));
  const shown = found.slice(0, ON_PAGE);
  const names = await clientNames(call, parts);
  const user = active.userOf({ ...call.session, clientId: '' });
  const targets = user?.targets.map(({ id }) => id) ?? [];
  const rows = shown.map((one) => [
    html`<a href="/console/calls/${one.id}">${moment(one.atMs)}</a>`,
    html`<b>${visible(one.method ?? one.tool, 16)}</b> ${visible(one.place ?? '', 120)}`,
    one.target ?? 'none',
    html`<span${isFailed(one) && html` class="bad"`}>${visible(one.refusal ?? String(one.status ?? ''))}</span>`,
    `${one.durationMs} ms`,
    nameOf(one, names),
  ]);
  const heads = [
    { short: 'Time (UTC)' },
    'Request',
    { short: 'Target' },
    { short: 'Answer' },
    { short: 'Took' },
    'From',
  ];
  const empty = 'No call of yours is like that.';
  const older = found.length > shown.length && olderLink(filter, shown.at(-1)!.id);
  return pages.send(call, 200, {
    title: 'Calls',
    script: LIVE_SCRIPT,
    isLive: true,
    body: html`${filterForm(filter, targets)}
${section('calls', `${found.length} calls`, html`${listing('Calls', heads, rows, empty)}${older}`, 'Your last 1,000 calls since this server started, newest first.')}`,
  });
}

export async function oneCall(call: PageCall, parts: GatewayConsoleParts): Promise<FastifyReply> {
  const { pages, recent } = parts;
  const { id } = call.request.params as { readonly id: string };
  const one = recent.ofUser(call.session).find((other) => String(other.id) === id);
  if (!one) return pages.problem(call.reply, 404, 'not_found');
  const from = nameOf(one, await clientNames(call, parts));
  return pages.send(call, 200, {
    title: 'One call',
    body: html`<p><a href="/console/calls">All calls</a></p>
${facts([
  ['Ended', moment(one.atMs)],
  ['From', from],
  ['Door', one.origin.key === undefined ? 'MCP' : 'HTTP'],
  ['Tool', one.tool],
  ['Target', one.target ?? 'none matched'],
  ['Method', one.method],
  ['Host and path', one.place],
  ['Answer', one.status === undefined ? undefined : String(one.status)],
  ['Refused with', one.refusal],
  ['Took', `${one.durationMs} ms`],
  ['Bytes read', one.bytes],
])}
<p class="soft">Queries, headers and bodies of calls are not kept.</p>`,
  });
}

function filterOf(query: URLSearchParams): Filter {
  const short = (name: string) => (query.get(name) ?? '').slice(0, MAX_FILTER);
  const before = Number(short('before'));
  return {
    target: short('target'),
    outcome: short('outcome'),
    text: short('text'),
    before: Number.isSafeInteger(before) && before > 0 ? before : Number.POSITIVE_INFINITY,
  };
}

function isWanted(call: RecentCall, { target, outcome, text, before }: Filter): boolean {
  if (call.id >= before) return false;
  if (target !== '' && call.target !== target) return false;
  if (outcome === 'ok' && isFailed(call)) return false;
  if (outcome === 'failed' && !isFailed(call)) return false;
  const searched = `${call.method ?? ''} ${call.place ?? ''}`.toLowerCase();
  return searched.includes(text.trim().toLowerCase());
}

function olderLink({ target, outcome, text }: Filter, before: number): Html {
  const query = new URLSearchParams({ target, outcome, text, before: String(before) });
  return html`<p><a href="/console/calls?${query.toString()}">Older calls</a></p>`;
}

function filterForm({ target, outcome, text }: Filter, targets: readonly string[]): Html {
  const option = (value: string, label: string, chosen: string) =>
    html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`;
  return html`<form class="filters" method="get" action="/console/calls" role="search" aria-label="Calls">
<div><label for="target">Target</label><select id="target" name="target">${option('', 'Any', target)}${targets.map((id) => option(id, id, target))}</select></div>
<div><label for="outcome">Answer</label><select id="outcome" name="outcome">${Object.entries(OUTCOMES).map(([value, label]) => option(value, label, outcome))}</select></div>
<div><label for="text">Method, host or path</label><input id="text" name="text" type="text" value="${text}"></div>
<button class="small" type="submit">Show</button>
</form>`;
}

/** What the user's apps call themselves, by client id. */
async function clientNames(
  { session }: PageCall,
  { signIns }: GatewayConsoleParts,
): Promise<ReadonlyMap<string, string>> {
  const listed = await signIns.of(session);
  return new Map(listed.map(({ clientId, clientName }) => [clientId, clientName ?? clientId]));
}

function nameOf({ origin }: RecentCall, names: ReadonlyMap<string, string>): string {
  if (origin.key !== undefined) return `key ${origin.key}`;
  return names.get(origin.clientId) ?? 'an app that is signed out';
}
