/**
 * The page of `decoys report`. Everything in it is text that strangers chose, so every text is
 * escaped, and the page permits itself nothing but its own style and script, by their hashes:
 * no network, no image, no frame, no form.
 */
import { hash } from 'node:crypto';
import { REPORT_SCRIPT, REPORT_STYLE } from './report-assets.ts';
import type { Summary, Tallies, TokenUse } from './summary.ts';

const MAX_ROWS = 500;
const MAX_BARS = 168;
const HOUR_MS = 3_600_000;

interface Column<T> {
  readonly title: string;
  readonly isNumber?: true;
  readonly cell: (row: T) => string | number;
}

export function reportPage(summary: Summary, malformed: number): string {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', REPORT_STYLE, 'base64')}'`,
    `script-src 'sha256-${hash('sha256', REPORT_SCRIPT, 'base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Decoys report</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
<main>
<h1>Decoys report</h1>
${overview(summary, malformed)}
<section><h2>Hits over time</h2>${chart(summary)}</section>
${tallyTable('Tags', 'tag', summary.tags, 'networks')}
${tallyTable('Networks', 'network', summary.networks, 'tags')}
${tallyTable('Agents', 'agent', summary.agents, 'tags')}
${tallyTable('MCP clients', 'client', summary.mcpClients, 'tags')}
${section('Honeytokens used', usesTable(summary.uses), summary.tokensUsed, summary.uses.length)}
</main>
<script>${REPORT_SCRIPT}</script>
</body>
</html>
`;
}

function overview(summary: Summary, malformed: number): string {
  const facts: [string, string | number][] = [
    ['hits', summary.hits],
    ['networks', summary.networks.size],
    ['honeytokens given out', summary.tokensIssued],
    ['honeytokens used', summary.tokensUsed],
  ];
  if (summary.leftOut > 0) facts.push(['events left out', summary.leftOut]);
  if (malformed > 0) facts.push(['lines not understood', malformed]);
  const span =
    summary.hits + summary.tokensUsed > 0
      ? `<p>${time(summary.firstMs)} to ${time(summary.lastMs)} UTC</p>`
      : '<p>No decoy was hit.</p>';
  const items = facts.map(
    ([name, value]) => `<div><dt>${name}</dt><dd>${number(value)}</dd></div>`,
  );
  return `${span}<dl>${items.join('')}</dl>`;
}

/** One bar an hour, or as many hours as it takes to keep the bars few. */
function chart({ hours }: Summary): string {
  if (hours.size === 0) return '<p>Nothing to show.</p>';
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
    return `<rect x="${index * 10 + 1}" y="${100 - height}" width="8" height="${height}"><title>${label}</title></rect>`;
  });
  const name = `Hits per ${step === 1 ? 'hour' : `${step} hours`}, at most ${highest}`;
  return `<svg viewBox="0 0 ${bars.length * 10} 100" preserveAspectRatio="none" role="img" aria-label="${name}">${drawn.join('')}</svg><p>${name}</p>`;
}

function tallyTable(title: string, what: string, tallies: Tallies, companions: string): string {
  const rows = tallies.top(MAX_ROWS);
  const body = table(rows, [
    { title: what, cell: ({ name }) => name },
    { title: 'hits', isNumber: true, cell: ({ hits }) => hits },
    { title: 'first', cell: ({ firstMs }) => time(firstMs) },
    { title: 'last', cell: ({ lastMs }) => time(lastMs) },
    { title: companions, cell: (tally) => [...tally.with].join(', ') },
  ]);
  return section(title, body, tallies.size, rows.length);
}

function usesTable(uses: readonly TokenUse[]): string {
  return table(uses.slice(0, MAX_ROWS), [
    { title: 'time', cell: ({ timeMs }) => time(timeMs) },
    { title: 'received by', cell: ({ receivedBy }) => receivedBy || 'unknown' },
    { title: 'on', cell: ({ day }) => day },
    { title: 'from', cell: ({ tag, field }) => `${tag}: ${field}` },
    { title: 'presented by', cell: ({ presentedBy }) => presentedBy },
    { title: 'in', cell: ({ presentedIn }) => presentedIn },
    { title: 'confidence', cell: ({ confidence }) => confidence },
    { title: 'hash', cell: ({ hash: tokenHash }) => tokenHash },
  ]);
}

function section(title: string, body: string, total: number, shown: number): string {
  const rest = total > shown ? `<p>The first ${number(shown)} of ${number(total)}.</p>` : '';
  return `<section><h2>${title}</h2>${total === 0 ? '<p>None.</p>' : body}${rest}</section>`;
}

function table<T>(rows: readonly T[], columns: readonly Column<T>[]): string {
  const heads = columns.map(
    ({ title, isNumber }) =>
      `<th scope="col"${isNumber ? ' class="n"' : ''}><button type="button">${title}</button></th>`,
  );
  const lines = rows.map((row) => {
    const cells = columns.map(({ cell, isNumber }) => {
      const value = cell(row);
      return isNumber
        ? `<td class="n" data-n="${value}">${number(value)}</td>`
        : `<td>${escapeHtml(String(value))}</td>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  return `<div class="wide" tabindex="0"><table><thead><tr>${heads.join('')}</tr></thead><tbody>${lines.join('\n')}</tbody></table></div>`;
}

function number(value: string | number): string {
  return Number(value).toLocaleString('en');
}

function time(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

/** Invisible and direction-changing characters are shown, not obeyed. */
function escapeHtml(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(
      /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
      (character) => {
        return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
      },
    );
}
