import { isDay } from '../text/day.ts';
import { lineEnd } from '../text/lines.ts';
import { fromLatin1 } from '../text/utf8.ts';
import type { Task } from './parsed-note.ts';

/** A task box after indentation, quote marks and list markers. */
const BOX = /^(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t])*\[([ xX])\](?=[ \t])/;

const MAX_PREFIX_BYTES = 400;

const DUE = /(?:📅\s*|\bdue::?\s*|@due\()(\d{4}-\d{2}-\d{2})\b/iu;

/** The task in the first line of a list item, or undefined. */
export function readTask(text: string, start: number, line: number): Task | undefined {
  const prefix = text.slice(start, start + MAX_PREFIX_BYTES);
  const box = BOX.exec(prefix);
  if (!box) return undefined;
  const afterBox = start + box[0].length;
  const content = fromLatin1(text.slice(afterBox, lineEnd(text, afterBox))).trim();
  const due = DUE.exec(content)?.[1];
  return {
    line,
    start,
    mark: afterBox - 2,
    done: box[1] !== ' ',
    text: content,
    ...(due !== undefined && isDay(due) && { due }),
  };
}
