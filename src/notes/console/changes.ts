/** What tools changed in a vault, newest first, each with its difference and a way back. */
import type { FastifyReply } from 'fastify';
import { type FormCall, type PageCall, queryOf } from '../../console/browser-session.ts';
import { action, moment, visible } from '../../console/kit.ts';
import { LIVE_SCRIPT } from '../../console/live.ts';
import { type Html, html } from '../../core/pages/html.ts';
import type { BeginRecord } from '../changes/journal-record.ts';
import { readChange } from '../changes/journal-segments.ts';
import { newestChanges, writtenBy } from '../changes/newest-changes.ts';
import { changeUndo } from '../tools/change-undo.ts';
import type { OpenVault } from '../vaults/open-vault.ts';
import { type Budget, operationsOf } from './differences.ts';
import type { NotesConsoleParts } from './parts.ts';
import { callTool, pathIn, vaultChoice, vaultOf } from './vault-of.ts';

const ON_PAGE = 10;
/** Characters of differences on the page of all changes, of one of them, and on its own page. */
const LIST_CHARS = 12_000;
const ENTRY_CHARS = 1_200;
const PAGE_CHARS = 24_000;
const CHANGE_ID = /^[0-9a-z-]{1,64}$/;

export async function changesPage(
  call: PageCall,
  parts: NotesConsoleParts,
  notice?: string,
): Promise<FastifyReply> {
  const { pages } = parts;
  const open = vaultOf(call, parts);
  if (!open) return pages.problem(call.reply, 404, 'not_found');
  const before = queryOf(call.request).get('before') ?? undefined;
  const { root } = open.vault;
  const shown: BeginRecord[] = [];
  let hasMore = false;
  for await (const record of newestChanges(
    root,
    CHANGE_ID.test(before ?? '') ? before : undefined,
  )) {
    hasMore = shown.length === ON_PAGE;
    if (hasMore) break;
    shown.push(record);
  }
  const written = await writtenBy(root, shown);
  const budget = { chars: LIST_CHARS };
  const csrf = pages.csrf(call.session);
  const entries = shown.map((record) => {
    const own = { chars: Math.min(ENTRY_CHARS, budget.chars) };
    const given = own.chars;
    const entry = changeEntry(record, { open, parts, csrf, written, budget: own });
    budget.chars -= given - own.chars;
    return entry;
  });
  const older = pathIn(open, parts, '/console', { before: shown.at(-1)?.id ?? '' });
  return pages.send(call, notice === undefined ? 200 : 409, {
    title: 'Changes',
    notice,
    script: LIVE_SCRIPT,
    isLive: true,
    body: html`${vaultChoice(open, parts, '/console')}
<p class="soft">Changes that tools made within 30 days, newest first. Times are UTC.</p>
<section id="changes" data-live>${entries.length === 0 && html`<p class="soft">No tool has changed anything.</p>`}${entries}
${hasMore && html`<p><a href="${older}">Older changes</a></p>`}</section>`,
  });
}

export async function changePage(call: PageCall, parts: NotesConsoleParts): Promise<FastifyReply> {
  const { pages } = parts;
  const open = vaultOf(call, parts);
  const { id } = call.request.params as { readonly id: string };
  const record = open && CHANGE_ID.test(id) ? await readChange(open.vault.root, id) : undefined;
  if (!open || !record) return pages.problem(call.reply, 404, 'not_found');
  const written = await writtenBy(open.vault.root, [record]);
  const csrf = pages.csrf(call.session);
  const budget = { chars: PAGE_CHARS };
  return pages.send(call, 200, {
    title: 'One change',
    body: html`<p><a href="${pathIn(open, parts, '/console')}">All changes</a></p>
${changeEntry(record, { open, parts, csrf, written, budget, isAlone: true })}`,
  });
}

export async function undo(call: FormCall, parts: NotesConsoleParts): Promise<FastifyReply> {
  const open = vaultOf(call, parts);
  if (!open) return parts.pages.problem(call.reply, 404, 'not_found');
  const args = { change_id: call.form.get('change_id') ?? '', vault: open.name };
  const outcome = await callTool(changeUndo, args, call, parts);
  if (outcome.ok) return parts.pages.back(call, pathIn(open, parts, '/console'), 'undone');
  return changesPage(call, parts, `Not undone: ${outcome.message}`);
}

interface EntryOptions {
  readonly open: OpenVault;
  readonly parts: NotesConsoleParts;
  readonly csrf: Html;
  readonly written: ReadonlyMap<string, Buffer>;
  readonly budget: Budget;
  readonly isAlone?: boolean;
}

function changeEntry(record: BeginRecord, options: EntryOptions): Html {
  const { open, parts, csrf, written, budget, isAlone } = options;
  const link = pathIn(open, parts, `/console/changes/${record.id}`);
  const button = action({
    csrf,
    path: '/console/undo',
    label: 'Undo',
    about: `${record.tool} of ${record.at.slice(0, 19)}`,
    fields: { vault: open.name, change_id: record.id },
  });
  const heading = html`${visible(record.tool, 64)} <span class="soft">${moment(Date.parse(record.at))}</span>`;
  return html`<article class="change">
<div class="head"><h2>${isAlone ? heading : html`<a href="${link}">${heading}</a>`}</h2>${button}</div>
${operationsOf(record, written, budget)}
</article>
`;
}
