/** `decoys report [file...]`: one self-contained page, and a few lines for the terminal. */
import type { CommandOutput } from '../../core/command-line/output.ts';
import { terminalText } from '../../core/log/terminal-text.ts';
import { LogError } from '../../core/report/log-files.ts';
import { putPage } from '../../core/report/put-page.ts';
import { showReading } from '../../core/report/show-reading.ts';
import { time } from '../../core/report/tables.ts';
import type { Tallies } from '../../core/report/tallies.ts';
import { malformedLines, readEventLines } from '../event-log/event-lines.ts';
import { reportPage } from '../report/report-page.ts';
import { involved, Stories } from '../report/stories.ts';
import { Summary } from '../report/summary.ts';

const PAGE_FILE = 'decoys-report.html';
const TOP = 5;
const MAX_NAME = 80;

export async function report(files: readonly string[], output: CommandOutput): Promise<number> {
  const skipped = { other: 0, malformed: 0 };
  let page: string;
  let summary: Summary;
  try {
    const read = await readAll(files, skipped, output);
    summary = read.summary;
    page = reportPage(summary, read.stories, skipped.malformed);
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    output.err(`the event lines cannot be read: ${error.message}`);
    return 1;
  }
  if (!putPage(page, PAGE_FILE, output)) return 1;
  const tell = output.isTerminal ? output.out : output.err;
  tell(terminalSummary(summary, skipped.malformed));
  if (output.isTerminal) tell(`the page is ${PAGE_FILE}`);
  return 0;
}

/** Reads files a second time, for the full stories of addresses that received or used a token. */
async function readAll(
  files: readonly string[],
  skipped: { other: number; malformed: number },
  output: CommandOutput,
) {
  const summary = new Summary();
  const latest = new Stories();
  const read = (add: (line: Parameters<Summary['add']>[0]) => void, counts: typeof skipped) =>
    showReading(output, async (progress) => {
      for await (const line of readEventLines(files, counts, progress)) add(line);
    });
  await read((line) => {
    summary.add(line);
    latest.add(line);
  }, skipped);
  const isStream = files.length === 0 || files.includes('-');
  const wanted = involved(summary.uses);
  if (isStream || wanted.size === 0) return { summary, stories: latest };
  const stories = new Stories(wanted);
  await read((line) => stories.add(line), { other: 0, malformed: 0 });
  return { summary, stories };
}

function terminalSummary(summary: Summary, malformed: number): string {
  const notUnderstood = malformed > 0 ? [malformedLines(malformed)] : [];
  if (!summary.hasEvents) return ['no decoy was hit', ...notUnderstood].join('\n');
  const { tokensIssued, sealedUses, inventedUses, tripwireHits, leftOut } = summary;
  return [
    ...(tripwireHits > 0 ? [`${counted(tripwireHits, 'tripwire')} hit`] : []),
    `${counted(summary.hits, 'hit')} from ${counted(summary.networks.size, 'network')}, ` +
      `${time(summary.firstMs)} to ${time(summary.lastMs)} UTC`,
    `honeytokens: ${tokensIssued} given out, ${sealedUses} used`,
    ...summary.uses.slice(0, TOP).map(useText),
    ...(inventedUses > 0 ? [`${counted(inventedUses, 'invented key')} used`] : []),
    ...(leftOut > 0 ? [`${leftOut} more events were left out`] : []),
    ...notUnderstood,
    ...leaders('tags', summary.tags),
    ...leaders('networks', summary.networks),
    ...leaders('agents', summary.agents),
    ...leaders('MCP clients', summary.mcpClients),
  ].join('\n');
}

function useText({ lastMs, presentedBy, receivedBy, tag }: Summary['uses'][number]): string {
  const what = `${presentedBy} used what ${receivedBy} received from ${tag}`;
  return `  ${time(lastMs)}  ${terminalText(what, 2 * MAX_NAME)}`;
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
