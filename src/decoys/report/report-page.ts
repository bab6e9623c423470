/**
 * The page of `decoys report`. Everything in it is text that strangers chose, so every text is
 * escaped, and the page permits itself nothing but its own style and script, by their hashes:
 * no network, no image, no frame, no form.
 */
import { type Html, html } from '../../core/pages/html.ts';
import { pageFile } from '../../core/pages/page.ts';
import { hourChart } from '../../core/report/charts.ts';
import { SORT_SCRIPT } from '../../core/report/sort-script.ts';
import { figures, number, tableSection, time } from '../../core/report/tables.ts';
import type { Tallies } from '../../core/report/tallies.ts';
import { involved, type Stories, type Story } from './stories.ts';
import type { Summary } from './summary.ts';

const MAX_ROWS = 500;
const MAX_STORIES = 50;
const SERIES = [{ name: 'hits' }, { name: 'honeytokens used', isRefusal: true }] as const;

export function reportPage(summary: Summary, stories: Stories, malformed: number): string {
  return pageFile({
    title: 'Decoys report',
    product: 'Gatehouse decoys',
    layout: 'board',
    script: SORT_SCRIPT,
    body: html`<h1>Decoys report</h1>
${overview(summary, malformed)}
${summary.hasEvents ? sections(summary, stories) : whatToExpect(malformed)}`,
  });
}

function overview(summary: Summary, malformed: number): Html {
  const facts: [string, number][] = [
    ['honeytokens used', summary.sealedUses],
    ['hits', summary.hits],
    ['networks', summary.networks.size],
    ['honeytokens given out', summary.tokensIssued],
  ];
  if (summary.tripwireHits > 0) facts.unshift(['tripwires hit', summary.tripwireHits]);
  if (summary.repeatedUses > 0) facts.push(['used again', summary.repeatedUses]);
  if (summary.inventedUses > 0) facts.push(['invented keys', summary.inventedUses]);
  if (summary.leftOut > 0) facts.push(['events left out', summary.leftOut]);
  if (malformed > 0) facts.push(['lines not understood', malformed]);
  const span = summary.hasEvents
    ? `${time(summary.firstMs)} to ${time(summary.lastMs)} UTC`
    : 'No decoy was hit.';
  return html`<p class="soft">${span}</p>\n${figures(facts)}`;
}

function whatToExpect(malformed: number): Html {
  return html`<section><h2>What to expect</h2>
${
  malformed > 0 &&
  html`<p>Some lines are no JSON. A log collector may have put a name or a time before each line: read the log without it, such as with <code>docker compose logs --no-log-prefix</code> or <code>journalctl -o cat</code>.</p>`
}
<p>Decoys that the internet reaches are usually asked within hours, and then every day, by scanners that
look for credentials, MCP servers and models. Each such request will be a hit here. A honeytoken that is used
comes first on this page, with everything that was done by whoever received it and whoever used it.</p>
<p>To see that the decoys can be reached, run <code>decoys selftest</code> with their public URL: its requests
are hits, too. In the gateway and in notes they are on once they have a key.</p></section>`;
}

function sections(summary: Summary, stories: Stories): Html {
  return html`${summary.tripwireHits > 0 && tripwiresTable(summary)}
${usesTable(summary)}
${storiesOf(summary, stories)}
<section><h2>Hits over time</h2>${hourChart(summary.hours, 'Events', SERIES)}</section>
${tallyTable('Tags', 'tag', summary.tags, 'networks')}
${tallyTable('Networks', 'network', summary.networks, 'tags')}
${tallyTable('Addresses', 'address', summary.addresses, 'tags')}
${tallyTable('Agents', 'agent', summary.agents, 'tags')}
${tallyTable('MCP clients', 'client', summary.mcpClients, 'tags')}
${summary.inventedUses > 0 && tallyTable('Invented keys', 'address', summary.inventors, 'in')}`;
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

/** Of sealed tokens; none is cut, whatever else happened. */
function usesTable({ uses, usesLeftOut }: Summary): Html {
  return tableSection(
    'Honeytokens used',
    uses,
    [
      { title: 'last', kind: 'time', cell: ({ lastMs }) => time(lastMs) },
      { title: 'times', kind: 'number', cell: ({ count }) => count },
      { title: 'used by', kind: 'time', cell: ({ presentedBy }) => presentedBy },
      { title: 'received by', kind: 'time', cell: ({ receivedBy }) => receivedBy },
      { title: 'on', kind: 'time', cell: ({ day }) => day },
      { title: 'from', kind: 'wide', cell: ({ tag, field }) => `${tag}: ${field}` },
      { title: 'used in', cell: ({ presentedIn, site }) => `${presentedIn} at ${site}` },
      { title: 'confidence', kind: 'short', cell: ({ confidence }) => confidence },
      { title: 'hash', cell: ({ hash }) => hash },
    ],
    uses.length + usesLeftOut,
  );
}

function tripwiresTable({ tripwires, tripwireHits }: Summary): Html {
  return tableSection(
    'Tripwires hit',
    tripwires,
    [
      { title: 'time', kind: 'time', cell: ({ timeMs }) => time(timeMs) },
      { title: 'user', cell: ({ user }) => user },
      { title: 'what', cell: ({ what }) => what },
    ],
    tripwireHits,
  );
}

function storiesOf(summary: Summary, stories: Stories): Html {
  const all = [...involved(summary.uses)].flatMap((address) => stories.of(address) ?? []);
  const rest = all.length - MAX_STORIES;
  return html`${all.slice(0, MAX_STORIES).map(storyTable)}${
    rest > 0 &&
    html`<p class="soft">${number(rest)} more addresses received or used a honeytoken.</p>`
  }`;
}

function storyTable({ address, steps, leftOut }: Story): Html {
  return tableSection(
    `What ${address} did`,
    steps,
    [
      { title: 'time', kind: 'time', cell: ({ timeMs }) => time(timeMs) },
      { title: 'what', kind: 'wide', cell: ({ what }) => what },
      { title: 'request', cell: ({ request }) => request },
      { title: 'agent', cell: ({ agent }) => agent },
    ],
    steps.length + leftOut,
  );
}
