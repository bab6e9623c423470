/** Formats a capture as one list item, so that its text cannot change the note around it. */
import { isTagName } from '../markdown/tag-text.ts';
import { invalidArguments } from '../tool-kit/notes-error.ts';
import { oneLine } from './new-note.ts';

export interface Capture {
  readonly text: string;
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly source?: string;
}

const LIST_ITEM = /^(?:[-*+]|\d{1,9}[.)])[ \t]+/;
/** `- - -` is a thematic break, not a list. */
const RULE = /^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,})$/;

/**
 * Further lines are indented below the first. A text that is a list already, such as a task, is kept
 * as it is.
 */
export function captureEntry({ text, title, tags = [], source }: Capture): string {
  const lines = text.trim().split(/\r\n|\n|\r/);
  const tail = [...tags.map(hashTag), ...(source === undefined ? [] : [`(${oneLine(source)})`])];
  const isList = isListOf(lines);
  const named = title === undefined ? undefined : `**${oneLine(title)}**`;
  if (isList && named === undefined) {
    return [[lines[0], ...tail].join(' '), ...lines.slice(1)].join('\n');
  }
  if (lines.length === 1 && !isList) {
    return ['-', ...(named === undefined ? [] : [`${named}:`]), ...lines, ...tail].join(' ');
  }
  const all = [
    ...(named === undefined ? [] : [named]),
    ...lines,
    ...(tail.length === 0 ? [] : [tail.join(' ')]),
  ];
  const bullet = RULE.test(`- ${all[0]}`) ? '*' : '-';
  return `${bullet} ${all.map((line, index) => (index === 0 || line === '' ? line : `  ${line}`)).join('\n')}`;
}

/** Whether every line is an item, empty, or indented as far as the text of the item above it. */
function isListOf(lines: readonly string[]): boolean {
  let indent = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    const item = RULE.test(line) ? undefined : LIST_ITEM.exec(line)?.[0];
    if (item !== undefined) indent = columns(item);
    else if (line.trim() !== '' && columns(/^[ \t]*/.exec(line)![0]) < indent) return false;
  }
  return true;
}

function columns(text: string): number {
  return Array.from(text).reduce((at, char) => at + (char === '\t' ? 4 - (at % 4) : 1), 0);
}

function hashTag(tag: string): string {
  const name = tag.trim().replace(/^#/, '');
  if (isTagName(name)) return `#${name}`;
  throw invalidArguments(
    `"${name.slice(0, 100)}" is not a valid tag; use letters, digits, "_", "-" and "/"`,
  );
}
