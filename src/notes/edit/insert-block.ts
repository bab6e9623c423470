/**
 * Inserts Markdown between the blocks of a note without changing them. Text right below a paragraph
 * would join it, and `---` or `===` would make it a heading; so an empty line separates them, except
 * where a list or a table continues.
 */

import type { ParsedNote } from '../markdown/parsed-note.ts';
import { type EditError, invalidArguments } from '../text/edit-error.ts';
import type { Eol } from '../text/lines.ts';
import { afterLineEnd, isBlank, keptApart, lineEnd } from '../text/lines.ts';
import type { Replacement } from '../text/replacements.ts';
import { toLatin1 } from '../text/utf8.ts';

/** The start of the body, after a byte order mark and frontmatter. */
export function bodyStart(note: ParsedNote): number {
  return note.frontmatter?.end ?? (note.hasBom ? 3 : 0);
}

/** The end of the last line in the range that is not empty, or `from`. */
export function contentEnd(note: ParsedNote, from: number, to: number): number {
  let at = to;
  while (at > from && isBlank(note.latin1, at - 1, at)) at--;
  if (at === from) return from;
  while (at < to && !'\r\n'.includes(note.latin1[at]!)) at++;
  if (at < to) at += note.latin1.startsWith('\r\n', at) ? 2 : 1;
  return at;
}

/** The start of the first line in the range that is not empty, or `to`. */
export function contentStart(note: ParsedNote, from: number, to: number): number {
  let start = from;
  for (let at = from; at < to && isBlank(note.latin1, at, at + 1); at++) {
    if (note.latin1[at] === '\n' || (note.latin1[at] === '\r' && note.latin1[at + 1] !== '\n')) {
      start = at + 1;
    }
  }
  return isBlank(note.latin1, start, to) ? to : start;
}

/** Content from a caller as Latin-1, with the note's line ends and no empty lines around it. */
export function blockOf(content: string, eol: Eol): string {
  return toLatin1(trimmedBlock(content, eol));
}

/** The same for text that is Latin-1 already. */
export function trimmedBlock(content: string, eol: Eol): string {
  const lines = content.split(/\r\n|\n|\r/);
  const hasText = (line: string) => /[^ \t]/.test(line);
  const first = lines.findIndex(hasText);
  const last = lines.findLastIndex(hasText);
  return first === -1 ? '' : lines.slice(first, last + 1).join(eol);
}

/** After the last line with text; at the end of a note, after its empty lines as well. */
export function appendPlace(note: ParsedNote, from: number, to: number, content: string): number {
  const end = contentEnd(note, from, to);
  return to < note.bytes.length || (continues(note, end, content) && !note.openEnd) ? end : to;
}

export function appendToNote(note: ParsedNote, content: string): Replacement {
  return insertBlock(note, appendPlace(note, bodyStart(note), note.bytes.length, content), content);
}

/** Inserts content prepared by `blockOf` at the start of a line or at the end of the note. */
export function insertBlock(note: ParsedNote, at: number, content: string): Replacement {
  const { latin1, eol, openEnd } = note;
  const atEnd = isBlank(latin1, at, latin1.length);
  let before = '';
  if (at > bodyStart(note) && !isBlank(latin1, bodyStart(note), at)) {
    const ended = endsLine(latin1, at);
    before = ended ? '' : eol;
    if (atEnd && openEnd) {
      if (openEnd.closer === undefined) throw neverEnds(openEnd.line);
      before += openEnd.closer + eol + eol;
    } else if (!continues(note, at, content) && !(ended && isAfterEmptyLine(latin1, at))) {
      before += eol;
    }
  } else if (at > 0 && !endsLine(latin1, at) && at !== (note.hasBom ? 3 : 0)) {
    before = eol;
  } else if (!note.frontmatter && content.startsWith('---')) {
    // At the start of a note, `---` would open a frontmatter.
    before = eol;
  }
  const after =
    at < latin1.length ? eol + (isSeparate(latin1, at, content) ? '' : eol) : lastEnd(note);
  const put = keptApart(latin1, at, at, before + content + after);
  return { start: at, end: at, bytes: Buffer.from(put, 'latin1') };
}

function neverEnds(line: number): EditError {
  return invalidArguments(
    `the note ends in unclosed HTML, opened in line ${line}; close it first`,
    { line },
  );
}

/** A note without a final line end keeps none. */
function lastEnd({ latin1, eol }: ParsedNote): string {
  return latin1 === '' || endsLine(latin1, latin1.length) ? eol : '';
}

function endsLine(text: string, at: number): boolean {
  return text[at - 1] === '\n' || text[at - 1] === '\r';
}

/** Whether the line before `at` is empty or does not exist. */
export function isAfterEmptyLine(text: string, at: number): boolean {
  let end = at - (text.startsWith('\r\n', at - 2) ? 2 : 1);
  while (text[end - 1] === ' ' || text[end - 1] === '\t') end--;
  return end <= 0 || endsLine(text, end);
}

/** Whether the following text needs no empty line before it: there is one, or a list continues. */
function isSeparate(text: string, at: number, content: string): boolean {
  let end = at;
  while (text[end] === ' ' || text[end] === '\t') end++;
  if (end === text.length || text[end] === '\n' || text[end] === '\r') return true;
  const kind = continuedKind(text, at);
  return kind !== undefined && lastKind(content.slice(-4000)) === kind;
}

/** Whether the content continues a list or table that ends at `at`. */
function continues(note: ParsedNote, at: number, content: string): boolean {
  const kind = continuedKind(content, 0);
  return kind !== undefined && lastKind(note.latin1.slice(Math.max(0, at - 4000), at)) === kind;
}

/** The kind of block the text ends in; indented lines belong to the item above them. */
function lastKind(text: string): 'list' | 'table' | undefined {
  const lines = text.replace(/(?:\r\n|\n|\r)$/, '').split(/\r\n|\n|\r/);
  const last = lines.findLast((line) => kindOf(line) || !/^(?:\t| {2})[ \t]*[^ \t]/.test(line));
  return last === undefined ? undefined : kindOf(last);
}

/** The kind of block the text at `at` may continue; a table with its own header is a new one. */
function continuedKind(text: string, at: number): 'list' | 'table' | undefined {
  const end = lineEnd(text, at);
  const kind = kindOf(text.slice(at, end));
  if (kind !== 'table') return kind;
  const second = afterLineEnd(text, end);
  const line = text.slice(second, lineEnd(text, second));
  return /^[-:| \t]+$/.test(line) && line.includes('-') ? undefined : kind;
}

function kindOf(line: string): 'list' | 'table' | undefined {
  if (/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/.test(line)) return 'list';
  return /^[ \t]*\|/.test(line) ? 'table' : undefined;
}
