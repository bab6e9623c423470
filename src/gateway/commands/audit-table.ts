/** Audit lines and their summary for a terminal, without terminal escape sequences. */
import type { Paint } from '../../core/command-line/output.ts';
import { terminalText } from '../../core/log/terminal-text.ts';
import { number, time } from '../../core/report/tables.ts';
import type { AuditEntry } from './audit-entry.ts';
import type { AuditSummary } from './audit-summary.ts';

const MAX_CODES = 8;
const HEAD = row('time', 'user', 'target', 'method', 'code', 'ms', 'bytes', 'url');

export function tableHead(paint: Paint): string {
  return paint.dim(HEAD);
}

/** `width` is that of the terminal; without one the URL is shown whole. */
export function tableRow(entry: AuditEntry, paint: Paint, width: number | undefined): string {
  const { error, redacted, isTruncated, status } = entry;
  const cells = row(
    new Date(entry.timeMs).toISOString().slice(0, 19).replace('T', ' '),
    terminalText(entry.user || '-', 12),
    terminalText(entry.target || '-', 14),
    terminalText(entry.method, 7),
    String(status),
    String(Math.round(entry.durationMs)),
    String(entry.bytes),
    '',
  );
  const remarks = [
    ...(error ? [terminalText(error, 32)] : []),
    ...(redacted > 0 ? [`reflected ${redacted}`] : []),
    ...(isTruncated ? ['truncated'] : []),
  ].join(', ');
  const room = width && Math.max(20, width - cells.length - ((remarks && remarks.length + 2) || 0));
  const url = terminalText(entry.url, room);
  const colour = error ? paint.red : redacted > 0 || status >= 400 ? paint.yellow : undefined;
  const line = `${cells}${url}${remarks && `  ${remarks}`}`;
  return colour ? colour(line) : line;
}

function row(...cells: [string, string, string, string, string, string, string, string]): string {
  const [when, user, target, method, status, ms, bytes, url] = cells;
  const left = `${when.padEnd(19)}  ${user.padEnd(12)}  ${target.padEnd(14)}  ${method.padEnd(7)}`;
  return `${left} ${status.padStart(4)} ${ms.padStart(6)} ${bytes.padStart(9)}  ${url}`;
}

export function summaryLines(summary: AuditSummary, malformed: number, paint: Paint): string[] {
  const { all, codes, firstMs, lastMs } = summary;
  const notUnderstood = malformed > 0 ? [`${counted(malformed, 'line')} not understood`] : [];
  if (all.calls === 0) return ['no call is in the log', ...notUnderstood];
  const [half, most] = [0.5, 0.95].map((share) => all.durations.percentile(share));
  const byCode = codes.top(MAX_CODES).map(({ name, hits }) => `${terminalText(name, 32)} ${hits}`);
  return [
    paint.bold(`${counted(all.calls, 'call')}, ${time(firstMs)} to ${time(lastMs)} UTC`),
    half === undefined ? 'none was answered' : `answered within ${half} ms (p50), ${most} ms (p95)`,
    all.refused === 0
      ? 'none was refused'
      : paint.red(`${number(all.refused)} refused: ${byCode.join(', ')}`),
    all.reflected === 0
      ? 'no credential was reflected'
      : paint.yellow(
          `${counted(all.reflected, 'answer')} reflected a credential, which was removed`,
        ),
    ...notUnderstood,
  ];
}

function counted(count: number, what: string): string {
  return `${number(count)} ${what}${count === 1 ? '' : 's'}`;
}
