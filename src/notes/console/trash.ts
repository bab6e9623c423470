/** Deleted notes of a vault, newest first, each with a way back. */
import type { FastifyReply } from 'fastify';
import { type FormCall, type PageCall, skipOf } from '../../console/browser-session.ts';
import { action, listing, moment, section } from '../../console/kit.ts';
import { LIVE_SCRIPT } from '../../console/live.ts';
import { html } from '../../core/pages/html.ts';
import { RETENTION_MS } from '../changes/journal.ts';
import { noteRestore } from '../tools/note-restore.ts';
import type { NotesConsoleParts } from './parts.ts';
import { callTool, pathIn, vaultChoice, vaultOf } from './vault-of.ts';

const ON_PAGE = 30;
const PATH = '/console/trash';

export async function trashPage(
  call: PageCall,
  parts: NotesConsoleParts,
  notice?: string,
): Promise<FastifyReply> {
  const { pages } = parts;
  const open = vaultOf(call, parts);
  if (!open) return pages.problem(call.reply, 404, 'not_found');
  const skip = skipOf(call);
  const all = await open.vault.trash.list();
  const shown = all.slice(skip, skip + ON_PAGE);
  const csrf = pages.csrf(call.session);
  const rows = shown.map(({ trashId, path, deletedAt, bytes }) => [
    path,
    moment(deletedAt.getTime()),
    moment(deletedAt.getTime() + RETENTION_MS),
    `${bytes} bytes`,
    action({
      csrf,
      path: '/console/restore',
      label: 'Restore',
      about: path,
      fields: { vault: open.name, trash_id: trashId },
    }),
  ]);
  const heads = [
    'Note',
    { short: 'Deleted (UTC)' },
    { short: 'Kept until' },
    { short: 'Size' },
    '',
  ];
  const older = pathIn(open, parts, PATH, { skip: String(skip + ON_PAGE) });
  return pages.send(call, notice === undefined ? 200 : 409, {
    title: 'Trash',
    notice,
    script: LIVE_SCRIPT,
    isLive: true,
    body: html`${vaultChoice(open, parts, PATH)}
${section(
  'trash',
  `${all.length} deleted`,
  html`${listing('Trash', heads, rows, 'The trash is empty.')}
${all.length > skip + ON_PAGE && html`<p><a href="${older}">More</a></p>`}`,
)}`,
  });
}

export async function restore(call: FormCall, parts: NotesConsoleParts): Promise<FastifyReply> {
  const open = vaultOf(call, parts);
  if (!open) return parts.pages.problem(call.reply, 404, 'not_found');
  const args = { trash_id: call.form.get('trash_id') ?? '', vault: open.name };
  const outcome = await callTool(noteRestore, args, call, parts);
  if (outcome.ok) return parts.pages.back(call, pathIn(open, parts, PATH), 'restored');
  return trashPage(call, parts, `Not restored: ${outcome.message}`);
}
