/**
 * The page of `decoys report`. Everything in it is text that strangers chose, so every text is
 * escaped, and the page permits itself nothing but its own style and script, by their hashes:
 * no network, no image, no frame, no form.
 */
import { type Html, html } from '../../core/pages/html.ts';
import { pageFile } from '../../core/pages/page.ts';
import { REPORT_SCRIPT } from './report-script.ts';
import type { Summary, Tallies, TokenUse } from './summary.ts';

const MAX_ROWS = 500;
const MAX_BARS = 168;
const HOUR_MS = 3_600_000;

interface Column<T> {
  readonly title: string;
  readonly kind?: 'number' | 'time';
  readonly cell: (row: T) => string | number;
}

export function reportPage(summary: Summary, malformed: number): string {
  return pageFile({
    title: 'Decoys report',
    product: 'Gatehouse decoys',
    layout: 'board',
    script: REPORT_SCRIPT,
    body: html`<h1>Decoys report</h1>
${overview(summary, malformed)}
<section><h2>Hits over time</h2>${chart(summary)}</section>
${tallyTable('Tags', 'tag', summary.tags, 'networks')}
${tallyTable('Networks', 'network', summary.networks, 'tags')}
${tallyTable('Agents', 'agent', summary.agents, 'tags')}
${tallyTable('MCP clients', 'client', summary.mcpClients, 'tags')}
${usesTable(summary)}`,
  });
}

function overview(summary: Summary, malformed: number): Html {
  const facts: [string, number][] = [
    ['hits', summary.hits],
    ['networks', summary.networks.size],
    ['honeytokens given out', summary.tokensIssued],
    ['honeytokens used', summary.tokensUsed],
  ];
  if (summary.leftOut > 0) facts.push(['events left out', summary.leftOut]);
  if (malformed > 0) facts.push(['lines not understood', malformed]);
  const span =
    summary.hits + summary.tokensUsed > 0
      ? `${time(summary.firstMs)} to ${time(summary.lastMs)} UTC`
      : 'No decoy was hit.';
  const items = facts.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${number(value)}</dd></div>`,
  );
  return html`<p class="soft">${span}</p>\n<dl class="figures">${items}</dl>`;
}

/** One bar an hour, or as many hours as it takes to keep the bars few. */
function chart({ hours }: Summary): Html {
  if (hours.size === 0) return html`<p class="soft">Nothing to show.</p>`;
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const hour of hours.keys()) {
    first = Math.min(first, hour);
    last = Math.max(last, hour);
  }
  const step = Math.ceil((last - first + 1) / MAX_BARS);
  const bars = new Array<number>(Math.ceil((last - first + 1) / step)).fill(0);
  for (const [hour, hits] of hours) bars[Math.floor((hour - first) / step)]! += hits;
  const highest = Math.max(...bars);
  const drawn = bars.map((hits, index) => {
    const height = Math.round((hits / highest) * 1000) / 10;
    const label = `${time((first + index * step) * HOUR_MS)}: ${hits} hits`;
    return html`<rect x="${index * 10 + 1}" y="${100 - height}" width="8" height="${height}"><title>${label}</title></rect>`;
  });
  const name = `Hits per ${step === 1 ? 'hour' : `${step} hours`}, at most ${number(highest)}`;
  return html`<svg class="chart" viewBox="0 0 ${bars.length * 10} 100" preserveAspectRatio="none" role="img" aria-label="${name}">${drawn}</svg><p class="soft">${name}</p>`;
}

function tallyTable(title: string, what: string, tallies: Tallies, companions: string): Html {
  const rows = tallies.top(MAX_ROWS);
  const body = table(title, rows, [
    { title: what, cell: ({ name }) => name },
    { title: 'hits', kind: 'number', cell: ({ hits }) => hits },
    { title: 'first', kind: 'time', cell: ({ firstMs }) => time(firstMs) },
    { title: 'last', kind: 'time', cell: ({ lastMs }) => time(lastMs) },
    { title: companions, cell: (tally) => [...tally.with].join(', ') },
  ]);
  return section(title, body, tallies.size, rows.length);
}

function usesTable({ uses, tokensUsed }: Summary): Html {
  const title = 'Honeytokens used';
  const rows = uses.slice(0, MAX_ROWS);
  const body = table<TokenUse>(title, rows, [
    { title: 'time', kind: 'time', cell: ({ timeMs }) => time(timeMs) },
    { title: 'received by', cell: ({ receivedBy }) => receivedBy || 'unknown' },
    { title: 'on', kind: 'time', cell: ({ day }) => day },
    { title: 'from', cell: ({ tag, field }) => `${tag}: ${field}` },
    { title: 'presented by', cell: ({ presentedBy }) => presentedBy },
    { title: 'in', cell: ({ presentedIn }) => presentedIn },
    { title: 'confidence', cell: ({ confidence }) => confidence },
    { title: 'hash', cell: ({ hash }) => hash },
  ]);
  return section(title, body, tokensUsed, rows.length);
}

function section(title: string, body: Html, total: number, shown: number): Html {
  return html`<section><h2>${title}</h2>${total === 0 ? html`<p class="soft">None.</p>` : body}${
    total > shown && html`<p class="soft">The first ${number(shown)} of ${number(total)}.</p>`
  }</section>`;
}

/** The box scrolls on its own, so it can be reached by the keyboard and has a name. */
function table<T>(name: string, rows: readonly T[], columns: readonly Column<T>[]): Html {
  const heads = columns.map(
    ({ title, kind }) => html`<th scope="col" ${classOf(kind)}>${title}</th>`,
  );
  const lines = rows.map((row) => {
    const cells = columns.map(({ cell, kind }) => {
      const value = cell(row);
      return kind === 'number'
        ? html`<td class="n" data-n="${value}">${number(Number(value))}</td>`
        : html`<td ${classOf(kind)}>${visible(String(value))}</td>`;
    });
    return html`<tr>${cells}</tr>\n`;
  });
  return html`<div class="table" role="group" aria-label="Table: ${name}" tabindex="0"><table><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table></div>`;
}

function classOf(kind: 'number' | 'time' | undefined): Html | undefined {
  return kind && html`class="${kind === 'number' ? 'n' : 'when'}"`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}

function time(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

/** Invisible and direction-changing characters are shown, not obeyed. */
function visible(text: string): string {
  return text.replace(
    /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
