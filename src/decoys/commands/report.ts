/**
 * `decoys report [file]`: one page that needs nothing beside itself, and a few lines for the
 * terminal.
 */
import type { CommandOutput } from '../../core/command-line/output.ts';
import { terminalText } from '../../core/log/terminal-text.ts';
import { LogError } from '../../core/report/log-files.ts';
import { putPage } from '../../core/report/put-page.ts';
import { time } from '../../core/report/tables.ts';
import type { Tallies } from '../../core/report/tallies.ts';
import { malformedLines, readEventLines } from '../event-log/event-lines.ts';
import { reportPage } from './report-page.ts';
import { Summary } from './summary.ts';

const PAGE_FILE = 'decoys-report.html';
const TOP = 5;
const MAX_NAME = 80;

export async function report(files: readonly string[], output: CommandOutput): Promise<number> {
  const summary = new Summary();
  const skipped = { other: 0, malformed: 0 };
  try {
    for await (const line of readEventLines(files, skipped)) summary.add(line);
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    output.err(`the event lines cannot be read: ${error.message}`);
    return 1;
  }
  const page = reportPage(summary, skipped.malformed);
  if (!putPage(page, PAGE_FILE, output)) return 1;
  const tell = output.isTerminal ? output.out : output.err;
  tell(terminalSummary(summary, skipped.malformed));
  if (output.isTerminal) tell(`the page is ${PAGE_FILE}`);
  return 0;
}

function terminalSummary(summary: Summary, malformed: number): string {
  const notUnderstood = malformed > 0 ? [malformedLines(malformed)] : [];
  if (!summary.hasEvents) return ['no decoy was hit', ...notUnderstood].join('\n');
  return [
    `${counted(summary.hits, 'hit')} from ${counted(summary.networks.size, 'network')}, ` +
      `${time(summary.firstMs)} to ${time(summary.lastMs)} UTC`,
    `honeytokens: ${summary.tokensIssued} given out, ${summary.tokensUsed} used`,
    ...(summary.leftOut > 0 ? [`${summary.leftOut} more events were left out`] : []),
    ...notUnderstood,
    ...leaders('tags', summary.tags),
    ...leaders('networks', summary.networks),
    ...leaders('agents', summary.agents),
    ...leaders('MCP clients', summary.mcpClients),
  ].join('\n');
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function leaders(title: string, tallies: Tallies): string[] {
  if (tallies.size === 0) return [];
  const lines = tallies
    .top(TOP)
    .map(({ name, hits }) => `${String(hits).padStart(9)}  ${terminalText(name, MAX_NAME)}`);
  return [`${title}:`, ...lines];
}
