/**
 * The page of `gateway audit --html`. Everything in it is text that a model or an upstream may
 * have chosen, so every text is escaped, and the page permits itself nothing but its own style
 * and script, by their hashes.
 */
import { type Html, html } from '../../core/pages/html.ts';
import { pageFile } from '../../core/pages/page.ts';
import { barChart, hourChart } from '../../core/report/charts.ts';
import { SORT_SCRIPT } from '../../core/report/sort-script.ts';
import { type Column, figures, number, tableSection, time } from '../../core/report/tables.ts';
import type { AuditEntry } from './audit-entry.ts';
import type { AuditSummary, Group } from './audit-summary.ts';

const MAX_ROWS = 500;
const SERIES = [{ name: 'answered' }, { name: 'refused', isRefusal: true }] as const;
const BOUNDS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000];

interface AuditPage {
  readonly summary: AuditSummary;
  readonly malformed: number;
  /** The last calls, the latest first. */
  readonly latest: readonly AuditEntry[];
  /** What the calls were chosen by, in words. */
  readonly chosen: string;
}

export function auditPage({ summary, malformed, latest, chosen }: AuditPage): string {
  return pageFile({
    title: 'Gateway audit',
    product: 'Gatehouse gateway',
    layout: 'board',
    script: SORT_SCRIPT,
    body: html`<h1>Gateway audit</h1>
${overview(summary, malformed, chosen)}
<section><h2>Calls over time</h2>${hourChart(summary.hours, 'Calls', SERIES)}</section>
<section><h2>How long answers took</h2>${durations(summary)}</section>
${codes(summary)}
${groups('Targets', 'target', summary.targets)}
${groups('Users', 'user', summary.users)}
${calls('Reflected credentials', summary.reflections, summary.all.reflected)}
${calls('Latest calls', latest, summary.all.calls, 'last')}`,
  });
}

function overview({ all, firstMs, lastMs }: AuditSummary, malformed: number, chosen: string): Html {
  const facts: [string, string | number][] = [
    ['calls', all.calls],
    ['refused', all.refused],
    ['answered within, p50', milliseconds(all, 0.5)],
    ['answered within, p95', milliseconds(all, 0.95)],
    ['reflected credentials', all.reflected],
  ];
  if (malformed > 0) facts.push(['lines not understood', malformed]);
  const span = all.calls > 0 ? `${time(firstMs)} to ${time(lastMs)} UTC` : 'No call is in the log.';
  return html`<p class="soft">${span}${chosen && `; ${chosen}`}</p>\n${figures(facts)}`;
}

function durations({ all }: AuditSummary): Html {
  if (all.durations.total === 0) return html`<p class="soft">Nothing to show.</p>`;
  const bars = all.durations.distribution(BOUNDS_MS).map((count, index) => {
    const bound = BOUNDS_MS[index];
    if (bound === undefined)
      return { label: `over ${duration(BOUNDS_MS.at(-1)!)}`, parts: [count] };
    const isDecade = Number.isInteger(Math.log10(bound));
    return {
      label: `up to ${duration(bound)}`,
      parts: [count],
      ...(isDecade && { tick: duration(bound) }),
    };
  });
  return barChart(bars, 'Answers', 'Answered within', [{ name: 'answers' }]);
}

function duration(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`;
}

function codes({ codes: refusals }: AuditSummary): Html {
  return tableSection(
    'Refusals',
    refusals.top(MAX_ROWS),
    [
      { title: 'code', cell: ({ name }) => name },
      { title: 'calls', kind: 'number', cell: ({ hits }) => hits },
      { title: 'first', kind: 'time', cell: ({ firstMs }) => time(firstMs) },
      { title: 'last', kind: 'time', cell: ({ lastMs }) => time(lastMs) },
      { title: 'targets', cell: (tally) => [...tally.with].join(', ') },
    ],
    refusals.size,
  );
}

function groups(title: string, what: string, all: ReadonlyMap<string, Group>): Html {
  const rows = [...all.values()].sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1));
  const percentile = (share: number) => (group: Group) => group.durations.percentile(share) ?? '–';
  return tableSection(
    title,
    rows.slice(0, MAX_ROWS),
    [
      { title: what, cell: ({ name }) => name },
      { title: 'calls', kind: 'number', cell: (group) => group.calls },
      { title: 'refused', kind: 'number', cell: ({ refused }) => refused },
      { title: 'p50 ms', kind: 'number', cell: percentile(0.5) },
      { title: 'p95 ms', kind: 'number', cell: percentile(0.95) },
      { title: 'bytes', kind: 'number', cell: ({ bytes }) => bytes },
      { title: 'reflected', kind: 'number', cell: ({ reflected }) => reflected },
    ],
    all.size,
  );
}

const CALL_COLUMNS: readonly Column<AuditEntry>[] = [
  { title: 'time', kind: 'time', cell: ({ timeMs }) => time(timeMs) },
  { title: 'user', cell: ({ user }) => user || '(nobody)' },
  { title: 'target', cell: ({ target }) => target || '(none)' },
  { title: 'method', kind: 'short', cell: ({ method }) => method },
  { title: 'status', kind: 'number', cell: ({ status }) => status },
  { title: 'refusal', kind: 'short', cell: ({ error }) => error },
  { title: 'ms', kind: 'number', cell: ({ durationMs }) => Math.round(durationMs) },
  { title: 'reflected', kind: 'number', cell: ({ redacted }) => redacted },
  { title: 'url', kind: 'wide', cell: ({ url }) => url },
];

function calls(title: string, entries: readonly AuditEntry[], total: number, which?: 'last'): Html {
  return tableSection(title, entries.slice(0, MAX_ROWS), CALL_COLUMNS, total, which);
}

function milliseconds({ durations: all }: Group, share: number): string {
  const ms = all.percentile(share);
  return ms === undefined ? '–' : `${number(ms)} ms`;
}
