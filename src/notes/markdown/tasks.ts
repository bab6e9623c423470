/** Tasks: list items with a box, `- [ ] text`, or with a word of Logseq, `- TODO text`. */
import { isDay } from '../text/day.ts';
import { lineEnd } from '../text/lines.ts';
import { fromLatin1 } from '../text/utf8.ts';
import type { Task } from './parsed-note.ts';

/** The mark of a task after indentation, quote marks and list markers. Any sign may be in a box. */
const MARK =
  /^(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t])*(?:\[([\x20-\x5c\x5e-\x7e])\]|(TODO|DOING|NOW|LATER|WAITING|IN-PROGRESS|DONE|CANCELL?ED))(?=[ \t])/;
const CLOSED = new Set(['x', 'X', '-', 'DONE', 'CANCELED', 'CANCELLED']);

const MAX_PREFIX_BYTES = 400;

const DUE = /(?:📅\s*|\bdue::?\s*|@due\()(\d{4}-\d{2}-\d{2})\b/iu;
/** Logseq writes it in the line below. */
const DEADLINE = /^\s*(?:DEADLINE|SCHEDULED): <(\d{4}-\d{2}-\d{2})\b/;

/** The task in the first line of a list item, or undefined. */
export function readTask(text: string, start: number, line: number): Task | undefined {
  const prefix = text.slice(start, start + MAX_PREFIX_BYTES);
  const found = MARK.exec(prefix);
  if (!found) return undefined;
  const [whole, sign, word] = found;
  const state = sign ?? word!;
  const afterMark = start + whole.length;
  const mark = afterMark - state.length - (sign === undefined ? 0 : 1);
  const end = lineEnd(text, afterMark);
  const content = fromLatin1(text.slice(afterMark, end)).trim();
  const below = text.slice(end, end + MAX_PREFIX_BYTES);
  const due = (DUE.exec(content) ?? (word && DEADLINE.exec(below)))?.[1];
  return {
    line,
    start,
    mark,
    state,
    done: CLOSED.has(state),
    text: content,
    ...(due !== undefined && isDay(due) && { due }),
  };
}

/** Whether a state says no more than whether the task is done. */
export function isUsualState(state: string): boolean {
  return /^[ xX]$/.test(state);
}

/** The mark of the same kind, a sign or a word, that says whether a task is done. */
export function stateFor({ state }: Task, done: boolean): string {
  if (state.length === 1) return done ? 'x' : ' ';
  return done ? 'DONE' : 'TODO';
}
