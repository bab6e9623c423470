/** The first page: what waits for a decision, the targets, the keys of the HTTP door, minted secrets. */
import type { FastifyReply } from 'fastify';
import { type PageCall, skipOf } from '../../console/browser-session.ts';
import { listing, moment, section, span, visible } from '../../console/kit.ts';
import { LIVE_SCRIPT } from '../../console/live.ts';
import { type Html, html } from '../../core/pages/html.ts';
import { requestCell, type WaitingApproval } from '../approvals/pages.ts';
import type { DoorKey, User } from '../config/config.ts';
import type { GatewayConsoleParts } from './parts.ts';
import { figuresByTarget, type TargetFigures } from './target-figures.ts';

const MAX_WAITING = 10;
const TARGETS_ON_PAGE = 30;

export async function overview(call: PageCall, parts: GatewayConsoleParts): Promise<FastifyReply> {
  const { pages, active, recent, approvals } = parts;
  const { session } = call;
  const user = active.userOf({ ...session, clientId: '' });
  if (!user) return pages.problem(call.reply, 404, 'not_found');
  const waiting = await approvals(session);
  const keys = await Promise.all(user.keys.map((key) => keyRow(key, parts)));
  const minted = [...user.minted.values()].map((secret) => {
    const leftMs = parts.tokens.remainingMs(user.name, secret);
    return [secret.name, leftMs === undefined ? 'not requested yet' : leftText(leftMs)];
  });
  const skip = skipOf(call);
  const count = waiting.length > 0 ? `(${waiting.length}) ` : '';
  return pages.send(call, 200, {
    title: 'Overview',
    tabTitle: `${count}Overview`,
    script: LIVE_SCRIPT,
    isLive: true,
    body: html`${section('waiting', 'Waiting for you', waitingList(waiting))}
${section('targets', 'Targets', targetList(user, figuresByTarget(recent.ofUser(session)), skip), 'Figures are of your last 1,000 calls since this server started.')}
${user.keys.length > 0 && section('keys', 'Keys of the HTTP door', listing('Keys', ['Name', 'Targets', { short: 'Last use' }, { short: 'Expires' }], keys))}
${minted.length > 0 && section('minted', 'Minted credentials', listing('Minted credentials', ['Secret', { short: 'Remaining life' }], minted))}`,
  });
}

function waitingList(waiting: readonly WaitingApproval[]): Html {
  const heads = [{ short: 'Since' }, 'Request', 'From', { short: 'Ends' }, ''];
  const rows = waiting
    .slice(0, MAX_WAITING)
    .map((one) => [
      moment(one.askedAtMs),
      requestCell(one),
      one.from,
      moment(one.endsAtMs),
      html`<a href="${one.href}">Decide<span class="unseen"> on ${visible(one.method, 16)} ${visible(one.place, 80)}</span></a>`,
    ]);
  const more = waiting.length - rows.length;
  return html`${listing('Waiting for you', heads, rows, 'Nothing waits for you.')}${
    more > 0 && html`<p><a href="/approvals">${more} more</a></p>`
  }`;
}

function targetList(user: User, figures: ReadonlyMap<string, TargetFigures>, skip: number): Html {
  const heads = [
    'Target',
    { short: 'Last answer' },
    { short: 'Failed' },
    { short: 'p50' },
    { short: 'p95' },
    'Last calls',
  ];
  const rows = user.targets.slice(skip, skip + TARGETS_ON_PAGE).map((target) => {
    const own = figures.get(target.id);
    const name = html`<a href="/console/calls?target=${encodeURIComponent(target.id)}">${visible(target.id, 64)}</a><br><span class="soft">${visible(target.baseUrl.text, 120)}</span>`;
    if (!own) return [name, html`<span class="soft">no call yet</span>`, '', '', '', ''];
    const { last } = own;
    return [
      name,
      html`${visible(last.refusal ?? String(last.status))}<br><span class="soft">${moment(last.atMs)}</span>`,
      `${Math.round(own.failedShare * 100)} %`,
      `${own.p50Ms} ms`,
      `${own.p95Ms} ms`,
      plot(target.id, own),
    ];
  });
  const next = skip + TARGETS_ON_PAGE;
  return html`${listing('Targets', heads, rows, 'You have no target.')}${
    user.targets.length > next && html`<p><a href="/console?skip=${next}">More targets</a></p>`
  }`;
}

/** A bar for each of the last calls, as high as it took long; lines at the median and the 95th percentile. */
function plot(target: string, { plotted, p50Ms, p95Ms }: TargetFigures): Html {
  const highest = Math.max(1, p95Ms, ...plotted.map(({ durationMs }) => durationMs));
  // By its logarithm, so that one slow call leaves the others to be seen.
  const y = (ms: number) => Math.round(28 - (28 * Math.log1p(ms)) / Math.log1p(highest));
  const bar = (ms: number, at: number) => `M${at * 4 + 2} 28V${Math.min(26, y(ms))}`;
  const bars = (isFailed: boolean) =>
    plotted.map((one, at) => (one.isFailed === isFailed ? bar(one.durationMs, at) : '')).join('');
  const line = (ms: number) => html`<line x1="0" x2="160" y1="${y(ms)}" y2="${y(ms)}"/>`;
  const failed = plotted.filter((one) => one.isFailed).length;
  return html`<svg class="plot" role="img" viewBox="0 0 160 28" width="160" height="28" aria-label="The last ${plotted.length} calls of ${target}: median ${p50Ms} ms, 95th percentile ${p95Ms} ms, ${failed} failed"><path d="${bars(false)}"/><path class="failed" d="${bars(true)}"/>${[line(p50Ms), line(p95Ms)]}</svg>`;
}

async function keyRow(key: DoorKey, { keyUses }: GatewayConsoleParts) {
  const usedAt = await keyUses.of(key.digest);
  return [
    key.name,
    key.targets ? [...key.targets].join(', ') : 'all',
    usedAt === undefined ? 'not in 30 days' : moment(usedAt),
    key.expiresAt === undefined ? 'never' : moment(key.expiresAt),
  ];
}

function leftText(leftMs: number): string {
  return leftMs > 0 ? span(leftMs) : 'expired; renewed at the next call';
}
