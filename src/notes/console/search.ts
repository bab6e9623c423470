/** The search box, over the index that the tools search. */
import type { FastifyReply } from 'fastify';
import { type PageCall, queryOf } from '../../console/browser-session.ts';
import { visible } from '../../console/kit.ts';
import { html } from '../../core/pages/html.ts';
import type { SearchHit } from '../index/query/search-query.ts';
import { noteSearch } from '../tools/note-search.ts';
import type { NotesConsoleParts } from './parts.ts';
import { callTool, vaultChoice, vaultOf } from './vault-of.ts';

const ON_PAGE = 20;
const MAX_QUERY = 1_000;

export async function searchPage(call: PageCall, parts: NotesConsoleParts): Promise<FastifyReply> {
  const { pages } = parts;
  const open = vaultOf(call, parts);
  if (!open) return pages.problem(call.reply, 404, 'not_found');
  const query = (queryOf(call.request).get('q') ?? '').slice(0, MAX_QUERY);
  const args = { query, vault: open.name, limit: ON_PAGE };
  const found = query.trim() === '' ? undefined : await callTool(noteSearch, args, call, parts);
  const hits = found?.ok ? (found.value.hits as readonly SearchHit[]) : [];
  return pages.send(call, 200, {
    title: 'Search',
    body: html`${vaultChoice(open, parts, '/console/search')}
<form class="filters" method="get" action="/console/search" role="search" aria-label="Notes">
<input type="hidden" name="vault" value="${open.name}">
<div><label for="q">Words</label><input id="q" name="q" type="search" value="${query}" required></div>
<button class="small" type="submit">Search</button></form>
${found && !found.ok && html`<p class="complaint" role="alert">${visible(found.message, 500)}</p>`}
${
  found?.ok &&
  html`<p role="status">${hits.length === 0 ? 'Nothing found.' : `${hits.length} notes, the best first.`}</p>
<ol class="hits">${hits.map(hitEntry)}</ol>`
}`,
  });
}

function hitEntry({ path, title, heading_path, line, snippet }: SearchHit) {
  const where = heading_path.length > 0 ? heading_path.join(' › ') : '';
  return html`<li><h2>${visible(title, 120)}</h2>
<p class="soft">${visible(path, 200)}, line ${line}${where !== '' && html`, ${visible(where, 200)}`}</p>
<p class="snip">${snippet.split('\n').map((text) => html`${visible(text)}<br>`)}</p></li>
`;
}
