/**
 * Properties in the text: lines `key:: value` at the beginning of a note, also in its first bullet,
 * as Logseq writes them. Its values are separated by commas and may be links.
 */
import { lineAt, lineEnd } from '../text/lines.ts';
import { fromLatin1 } from '../text/utf8.ts';
import type { Tag } from './parsed-note.ts';
import { isTagName } from './tag-text.ts';

export interface PageProperties {
  readonly data: Readonly<Record<string, unknown>>;
  readonly tags: Tag[];
  readonly aliases?: string[];
  readonly title?: string;
}

const LINE =
  /^(?:[-*+][ \t]+|[ \t]+)?([^\s:`#[\](){}][^\s:`[\](){}]{0,99})::(?:[ \t]+(?![ \t])(.*))?$/;
const MAX_LINES = 100;
const MAX_LINE_BYTES = 4000;

/** Undefined if the note does not begin with a property. */
export function readPageProperties(
  latin1: string,
  starts: Uint32Array,
  from: number,
): PageProperties | undefined {
  const data = new Map<string, unknown>();
  const tags: Tag[] = [];
  const first = lineAt(starts, from);
  for (let line = first; line < first + MAX_LINES && line <= starts.length; line++) {
    const start = line === first ? from : starts[line - 1]!;
    const end = Math.min(lineEnd(latin1, start), start + MAX_LINE_BYTES);
    const text = trimmed(latin1.slice(start, end));
    const [, key, value = ''] = LINE.exec(text) ?? [];
    if (key === undefined) break;
    const name = fromLatin1(key).toLowerCase();
    const parts = partsOf(text, text.length - value.length);
    if (name === 'tags') tags.push(...parts.flatMap((part) => tagOf(part, start, line)));
    const values = parts.map((part) => fromLatin1(part.text));
    const isList = LISTS.has(name) || (value.includes('[[') && values.length > 1);
    const single = value.startsWith('[[') && values.length === 1 ? values[0]! : fromLatin1(value);
    if (name !== '__proto__') data.set(name, isList ? values : scalar(single));
  }
  if (data.size === 0) return undefined;
  const aliases = data.get('alias') as string[] | undefined;
  const title = data.get('title');
  return {
    data: Object.fromEntries(data),
    tags,
    ...(aliases && { aliases }),
    ...(typeof title === 'string' && title !== '' && { title }),
  };
}

const LISTS = new Set(['alias', 'tags']);

interface Part {
  readonly at: number;
  readonly text: string;
}

/** The values without `[[`, `]]` and `#`, with their places in the line. */
function partsOf(line: string, from: number): Part[] {
  const parts: Part[] = [];
  for (const found of line.slice(from).matchAll(/[^,]+/g)) {
    const inner = /^[ \t]*(?:#?\[\[(.+?)\]\]|#?(.*))$/.exec(trimmed(found[0]));
    const text = inner?.[1] ?? inner?.[2] ?? '';
    if (text !== '') parts.push({ at: from + found.index + found[0].indexOf(text), text });
  }
  return parts;
}

function tagOf({ at, text }: Part, lineStart: number, line: number): Tag[] {
  const name = fromLatin1(text);
  const start = lineStart + at;
  return isTagName(name) ? [{ name, place: 'text', start, end: start + text.length, line }] : [];
}

/** Without the spaces at its end. `trimEnd` would also remove bytes of characters such as `à`. */
function trimmed(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ' || text[end - 1] === '\t') end--;
  return text.slice(0, end);
}

function scalar(value: string): string | number {
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : value;
}
