/**
 * The page of `decoys report`. Everything in it is text that strangers chose, so every text is
 * escaped, and the page permits itself nothing but its own style and script, by their hashes:
 * no network, no image, no frame, no form.
 */
import { type Html, html } from '../../core/pages/html.ts';
import { pageFile } from '../../core/pages/page.ts';
import { hourChart } from '../../core/report/charts.ts';
import { SORT_SCRIPT } from '../../core/report/sort-script.ts';
import { figures, tableSection, time } from '../../core/report/tables.ts';
import type { Tallies } from '../../core/report/tallies.ts';
import type { Summary } from './summary.ts';

const MAX_ROWS = 500;

export function reportPage(summary: Summary, malformed: number): string {
  return pageFile({
    title: 'Decoys report',
    product: 'Gatehouse decoys',
    layout: 'board',
    script: SORT_SCRIPT,
    body: html`<h1>Decoys report</h1>
${overview(summary, malformed)}
<section><h2>Hits over time</h2>${hourChart(summary.hours, 'Hits', [{ name: 'hits' }])}</section>
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
  const span = summary.hasEvents
    ? `${time(summary.firstMs)} to ${time(summary.lastMs)} UTC`
    : 'No decoy was hit.';
  return html`<p class="soft">${span}</p>\n${figures(facts)}`;
}

function tallyTable(title: string, what: string, tallies: Tallies, companions: string): Html {
  return tableSection(
    title,
    tallies.top(MAX_ROWS),
    [
      { title: what, cell: ({ name }) => name },
      { title: 'hits', kind: 'number', cell: ({ hits }) => hits },
      { title: 'first', kind: 'time', cell: ({ firstMs }) => time(firstMs) },
      { title: 'last', kind: 'time', cell: ({ lastMs }) => time(lastMs) },
      { title: companions, cell: (tally) => [...tally.with].join(', ') },
    ],
    tallies.size,
  );
}

function usesTable({ uses, tokensUsed }: Summary): Html {
  return tableSection(
    'Honeytokens used',
    uses.slice(0, MAX_ROWS),
    [
      { title: 'time', kind: 'time', cell: ({ timeMs }) => time(timeMs) },
      { title: 'received by', cell: ({ receivedBy }) => receivedBy || 'unknown' },
      { title: 'on', kind: 'time', cell: ({ day }) => day },
      { title: 'from', cell: ({ tag, field }) => `${tag}: ${field}` },
      { title: 'presented by', cell: ({ presentedBy }) => presentedBy },
      { title: 'in', cell: ({ presentedIn }) => presentedIn },
      { title: 'confidence', cell: ({ confidence }) => confidence },
      { title: 'hash', cell: ({ hash }) => hash },
    ],
    tokensUsed,
  );
}
