/** What is embedded of a section: the title of its note, its headings, and the start of its text. */
import { createHash } from 'node:crypto';

/** More than the models read: 256 tokens are some 1,200 characters of English. */
const MAX_LENGTH = 1500;
const MAX_HEADINGS = 300;
const HASH_BYTES = 16;

/** A row of `sections`. */
export interface SectionRow {
  readonly id: number;
  readonly heading_path: string;
  readonly body_start: number;
  readonly text: string;
}

/** Empty where a section says nothing. Signs and addresses are left out, because they are no words. */
export function sectionText(title: string, row: SectionRow): string {
  const headingPath = JSON.parse(row.heading_path) as string[];
  const body = row.text.slice(row.body_start, row.body_start + 4 * MAX_LENGTH);
  const names = headingPath[0] === title ? headingPath : [title, ...headingPath];
  const text = body
    .replace(/\]\([^)\s]*\)/g, ']')
    .replace(/<\/?[a-z][^>]{0,200}>/gi, ' ')
    .replace(/https?:\/\/\S+/g, ' ')
    .replace(/[-=_*|~`#]{2,}/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (text === '' && headingPath.length === 0) return '';
  const head = names.join(' > ').slice(0, MAX_HEADINGS);
  return `${head}\n${text}`.slice(0, MAX_LENGTH).toWellFormed();
}

/** Names the text: a section that is moved keeps its vector. */
export function textHash(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, HASH_BYTES);
}
