/** How a vault is: the progress of index and vectors, what `vault_stats` counts and `vault_review` finds. */
import type { FastifyReply } from 'fastify';
import type { PageCall } from '../../console/browser-session.ts';
import { type Cell, facts, listing, section, visible } from '../../console/kit.ts';
import { LIVE_SCRIPT } from '../../console/live.ts';
import { type Html, html } from '../../core/pages/html.ts';
import { figures } from '../../core/report/tables.ts';
import type { ReviewItem } from '../index/review/review-item.ts';
import { vaultReview } from '../tools/vault-review.ts';
import { vaultStats } from '../tools/vault-stats.ts';
import type { OpenVault } from '../vaults/open-vault.ts';
import type { NotesConsoleParts } from './parts.ts';
import { callTool, type ToolOutcome, vaultChoice, vaultOf } from './vault-of.ts';

const PATH = '/console/health';
const MAX_FINDINGS = 30;
const MAX_TEXT = 300;

export async function healthPage(call: PageCall, parts: NotesConsoleParts): Promise<FastifyReply> {
  const { pages } = parts;
  const open = vaultOf(call, parts);
  if (!open) return pages.problem(call.reply, 404, 'not_found');
  const vault = open.name;
  const progress = section('progress', 'Index', progressOf(open));
  // A page that renews itself follows the progress; the rest would cost two audit lines each second.
  if (call.request.headers['x-live'] !== undefined) {
    return pages.send(call, 200, { title: 'Health', body: progress });
  }
  const stats = await callTool(vaultStats, { vault }, call, parts);
  const review = await callTool(vaultReview, { vault, limit: MAX_FINDINGS }, call, parts);
  return pages.send(call, 200, {
    title: 'Health',
    script: LIVE_SCRIPT,
    isLive: true,
    body: html`${vaultChoice(open, parts, PATH)}
${progress}
${section('stats', 'Vault', orProblem(stats, statsOf))}
${section('review', 'To look at', orProblem(review, findingsOf), 'A share of each kind of problem. An assistant can repair them.')}`,
  });
}

function orProblem(outcome: ToolOutcome, show: (value: Record<string, unknown>) => Html): Html {
  if (outcome.ok) return show(outcome.value);
  return html`<p class="complaint">${visible(outcome.message, MAX_TEXT)}</p>`;
}

function progressOf({ index, meaning }: OpenVault): Html {
  const { state, indexed, onDisk, skipped, reason } = index.state();
  const semantic = meaning?.state();
  return html`${bar('Notes in the index', indexed, onDisk - skipped, state, reason)}
${semantic && bar('Sections for search by meaning', semantic.done, semantic.total, semantic.state, semantic.reason)}`;
}

function bar(name: string, done: number, total: number, state: string, reason?: string): Html {
  const id = name.replaceAll(' ', '-').toLowerCase();
  return html`<div class="progress"><label for="${id}">${name}</label><progress id="${id}" max="${Math.max(1, total)}" value="${total === 0 ? 1 : Math.min(done, total)}"></progress>
<p>${done} of ${Math.max(0, total)}, ${state}${reason !== undefined && html`: ${visible(reason, MAX_TEXT)}`}</p></div>`;
}

function statsOf(value: Record<string, unknown>): Html {
  const { counts, index, watcher, git, trash } = value as Record<string, Record<string, unknown>>;
  const skipped = (index?.skipped_notes ?? []) as readonly { path: string; reason: string }[];
  const entries: [string, Cell][] = [
    ['watcher', text(watcher?.mode)],
    ['git', git?.enabled ? text(git.push ?? 'on') : 'off'],
    ['git error', text(git?.last_error)],
    ['in the trash', text(trash?.notes)],
  ];
  const rows = skipped.map(({ path, reason }) => [path, reason]);
  return html`${figures(named(counts))}${facts(entries.filter(([, cell]) => cell !== undefined))}
${rows.length > 0 && html`<h3>Not in the index</h3>${listing('Not in the index', ['Note', 'Why'], rows)}`}`;
}

function named(counts: Record<string, unknown> | null | undefined): [string, number][] {
  return Object.entries(counts ?? {}).map(([name, count]) => [
    name.replaceAll('_', ' '),
    Number(count),
  ]);
}

function text(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'number' ? value.toLocaleString('en') : String(value);
}

function findingsOf(value: Record<string, unknown>): Html {
  const rows = (value.items as readonly ReviewItem[]).map(({ kind, path, line, detail }) => [
    kind.replaceAll('_', ' '),
    html`${visible(path, MAX_TEXT)}${line !== undefined && `, line ${line}`}`,
    visible(detail, MAX_TEXT),
  ]);
  const heads = [{ short: 'Kind' }, 'Note', 'What'];
  return listing('To look at', heads, rows, 'Nothing to look at.');
}
