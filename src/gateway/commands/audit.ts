/**
 * `audit [file]`: the audit lines as a table with a summary, or as one page. Memory is bounded, so that a
 * log of any length can be read.
 */
import { type CommandOutput, paintFor } from '../../core/command-line/output.ts';
import { followFile } from '../../core/report/follow-file.ts';
import { logFailure, openLog } from '../../core/report/json-lines.ts';
import { putPage } from '../../core/report/put-page.ts';
import { parseSince, SINCE_FORM } from '../../core/report/since.ts';
import type { AuditEntry } from './audit-entry.ts';
import { auditPage } from './audit-page.ts';
import { type AuditFilter, AuditReading, FILTERED } from './audit-reading.ts';
import { summaryLines, tableHead, tableRow } from './audit-table.ts';

const PAGE_FILE = 'gateway-audit.html';
const MAX_LAST = 10_000;
const DOORS = ['mcp', 'http'];
/** The rows without --last: what fits a screen, and what a page takes. */
const LAST = { screen: 40, page: 200 };

interface AuditFlags extends Omit<AuditFilter, 'sinceMs'> {
  readonly since: string | undefined;
  readonly last: string | undefined;
  readonly follow: boolean;
  readonly html: boolean;
}

export async function audit(
  file: string | undefined,
  flags: AuditFlags,
  output: CommandOutput,
): Promise<number> {
  const usageError = (problem: string) => {
    output.err(problem);
    return 2;
  };
  const { since, door } = flags;
  const sinceMs = since === undefined ? undefined : parseSince(since, Date.now());
  if (since !== undefined && sinceMs === undefined) return usageError(`--since is ${SINCE_FORM}`);
  const keep = keptRows(flags, output);
  if (keep === undefined) {
    return usageError(`--last is a whole number up to ${MAX_LAST}, or all`);
  }
  if (door !== undefined && !DOORS.includes(door)) return usageError('--door is mcp or http');
  if (flags.html && flags.follow) {
    return usageError('a page cannot follow; leave out --html or --follow');
  }
  const reading = new AuditReading({ ...flags, sinceMs }, keep);
  try {
    if (flags.html) return (await makePage(file, reading, flags, output)) ? 0 : 1;
    if (flags.follow) await showAsTheyCome(file, reading, output);
    else await showTable(file, reading, output);
  } catch (error) {
    output.err(`the audit lines cannot be read: ${logFailure(file, error)}`);
    return 1;
  }
  return 0;
}

/** Undefined if `--last` is not a number of rows. */
function keptRows({ last, html }: AuditFlags, output: CommandOutput): number | undefined {
  const all = Number.POSITIVE_INFINITY;
  if (last === undefined) return html ? LAST.page : output.isTerminal ? LAST.screen : all;
  if (last === 'all') return html ? MAX_LAST : all;
  return /^\d{1,5}$/.test(last) && Number(last) <= MAX_LAST ? Number(last) : undefined;
}

async function showTable(file: string | undefined, reading: AuditReading, output: CommandOutput) {
  const show = rowsTo(output);
  for await (const _ of reading.chunks(await openLog(file))) {
    if (reading.keepsAll) show(reading.take());
  }
  const rows = reading.take();
  show(rows);
  const { calls } = reading.summary.all;
  tell(reading, output, !reading.keepsAll && calls > rows.length ? rows.length : undefined);
}

/** Ends with the input or at a signal, and then shows the summary. */
async function showAsTheyCome(
  file: string | undefined,
  reading: AuditReading,
  output: CommandOutput,
) {
  const stop = new AbortController();
  const isStream = file === undefined || file === '-';
  const onSignal = () => {
    stop.abort();
    if (isStream) process.stdin.destroy();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal);
  const show = rowsTo(output);
  const log = isStream ? await openLog(file) : followFile(file, stop.signal);
  // Shows the last lines of what is there already, and everything that is added.
  const showAll = () => {
    show(reading.take());
    reading.keepAll();
  };
  let isAtEnd = isStream;
  /** An empty chunk says that the end of what is there has been reached. */
  async function* watched() {
    for await (const chunk of log) {
      isAtEnd ||= chunk.length === 0;
      yield chunk;
    }
  }
  try {
    for await (const _ of reading.chunks(watched())) if (isAtEnd) showAll();
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
  showAll();
  tell(reading, output);
}

async function makePage(
  file: string | undefined,
  reading: AuditReading,
  flags: AuditFlags,
  output: CommandOutput,
): Promise<boolean> {
  for await (const _ of reading.chunks(await openLog(file)));
  const { summary, skipped } = reading;
  const latest = reading.take().reverse();
  const page = auditPage({ summary, malformed: skipped.malformed, latest, chosen: chosen(flags) });
  if (!putPage(page, PAGE_FILE, output)) return false;
  tell(reading, output);
  if (output.isTerminal) output.out(`the page is ${PAGE_FILE}`);
  return true;
}

function chosen(flags: AuditFlags): string {
  const name = (flag: (typeof FILTERED)[number] | 'since') =>
    flags[flag] === undefined ? [] : `${flag} ${flags[flag]}`;
  return [...FILTERED.flatMap(name), ...(flags.refused ? ['refused'] : []), ...name('since')].join(
    ', ',
  );
}

function rowsTo(output: CommandOutput): (entries: readonly AuditEntry[]) => void {
  const paint = paintFor(output);
  let hasHead = false;
  return (entries) => {
    if (entries.length === 0) return;
    const lines = entries.map((entry) => tableRow(entry, paint, output.columns));
    if (!hasHead) lines.unshift(tableHead(paint));
    hasHead = true;
    output.write(`${lines.join('\n')}\n`);
  };
}

/** The summary is for people: beside a table in a pipe it goes to standard error. */
function tell({ summary, skipped }: AuditReading, output: CommandOutput, shown?: number): void {
  const line = output.isTerminal ? output.out : output.err;
  if (shown !== undefined) line(`the last ${shown}; --last all shows every call`);
  if (output.isTerminal) line('');
  for (const text of summaryLines(summary, skipped.malformed, paintFor(output))) line(text);
}
