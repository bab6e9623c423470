/** A message as text. The parts that strangers chose are printable and cut, but not escaped. */
import { hash } from 'node:crypto';
import { terminalText } from '../../core/log/terminal-text.ts';
import { time } from '../../core/report/tables.ts';
import { type Alert, SEVERITIES, type Severity } from './alert.ts';
import type { Message } from './alert-queue.ts';

const MAX_TEXT = 1_600;

/** For headers: contains no text of strangers. */
export function titleOf(message: Message): string {
  const { alerts } = message;
  const [first] = alerts;
  const count = alerts.length + otherCount(message);
  if (first && count === 1) return `Gatehouse: ${first.title}`;
  return `Gatehouse: ${count} alerts, ${bySeverity(message)}`;
}

export function severityOf({ alerts, others }: Message): Severity {
  const found = SEVERITIES.toReversed().find(
    (each) => others[each] > 0 || alerts.some(({ severity }) => severity === each),
  );
  return found ?? 'low';
}

/** As many whole lines as a receiver accepts. */
export function textOf(message: Message, maxLength = MAX_TEXT): string {
  const { alerts } = message;
  const isOne = alerts.length + otherCount(message) === 1;
  const lines = isOne ? inFull(alerts[0]!) : alerts.map(inShort);
  const kept: string[] = [];
  let length = 0;
  for (const line of lines) {
    length += line.length + 1;
    if (length > maxLength) break;
    kept.push(line);
  }
  const untold = (isOne ? 0 : lines.length - kept.length) + otherCount(message);
  if (untold > 0) kept.push(`and ${untold} more; decoys report shows all`);
  return kept.join('\n');
}

/** The same for the same alerts, so that a receiver can recognise duplicates. */
export function idOf({ alerts, others }: Message): string {
  const shown = alerts.map(({ key, timeMs, repeats = 0 }) => [key, timeMs, repeats]);
  return hash('sha256', JSON.stringify([shown, others])).slice(0, 32);
}

export function otherCount({ others }: Message): number {
  return SEVERITIES.reduce((sum, severity) => sum + others[severity], 0);
}

function bySeverity({ alerts, others }: Message): string {
  return SEVERITIES.toReversed()
    .map((each) => ({
      each,
      count: others[each] + alerts.filter(({ severity }) => severity === each).length,
    }))
    .filter(({ count }) => count > 0)
    .map(({ each, count }) => `${count} ${each}`)
    .join(', ');
}

function inFull(alert: Alert): string[] {
  const facts = Object.entries(alert.facts).map(
    ([name, value]) => `${name}: ${terminalText(value)}`,
  );
  return [
    `${alert.title} (${alert.severity})${repeated(alert)}`,
    `time: ${time(alert.timeMs)} UTC`,
    ...facts,
  ];
}

function inShort(alert: Alert): string {
  const { 'used by': by, from, 'received by': received, token, tag, user, request } = alert.facts;
  const parts = [by ?? from ?? user, token ?? tag, received && `received by ${received}`, request];
  const text = parts.filter((part) => part !== undefined).join('; ');
  const head = `[${alert.severity}] ${time(alert.timeMs)} ${alert.title}${repeated(alert)}`;
  return text === '' ? head : `${head}: ${terminalText(text, 200)}`;
}

function repeated({ repeats }: Alert): string {
  return repeats === undefined ? '' : `, ${repeats} more ${repeats === 1 ? 'time' : 'times'}`;
}
