/** Link definitions and footnotes, `[a]: b` and `[^1]: text`, which moved text must take along. */

import { afterLineEnd, isBlank, lineAt, lineEnd } from '../text/lines.ts';
import { foldName, fromLatin1 } from '../text/utf8.ts';
import { readBlocks } from './blocks.ts';
import type { ParsedNote } from './parsed-note.ts';

export interface Definition {
  /** Folded for comparison. */
  readonly label: string;
  readonly start: number;
  readonly end: number;
}

const DEFINITION = /^ {0,3}\[((?:[^[\]\\\r\n]|\\.){1,200})\]:/gm;

/** The definitions of a note, outside code. */
export function definitionsOf(note: ParsedNote): Definition[] {
  const { latin1, bytes, lineStarts: starts } = note;
  const bodyStart = note.frontmatter?.end ?? (note.hasBom ? 3 : 0);
  const firstLine = lineAt(starts, bodyStart) - 1;
  const offset = (line: number) =>
    line === 0 ? bodyStart : (starts[firstLine + line] ?? latin1.length);
  const found: Definition[] = [];
  let footnote: { readonly start: number; readonly end: number } | undefined;
  readBlocks(bytes.toString('latin1', bodyStart), ({ kind, firstLine: first, endLine }) => {
    const [start, end] = [offset(first), offset(endLine)];
    const isText = kind === 'text';
    // The text block of a heading follows it and never continues a footnote.
    if (kind === 'heading') footnote = undefined;
    if (!isText && kind !== 'definition') return;
    // CommonMark reads a one-word footnote as a link definition, which ends with its line.
    const goesOn = isText && footnote?.end === start;
    if (goesOn) found.pop();
    const read = readDefinitions(latin1, goesOn ? footnote!.start : start, end, isText);
    for (const one of read) found.push(one);
    footnote = !isText && read[0]?.label.startsWith('^') ? { start, end } : undefined;
  });
  return found;
}

/** The definitions in a block. In a paragraph, only a footnote can begin them. */
function readDefinitions(text: string, start: number, end: number, isText: boolean): Definition[] {
  const heads = [...text.slice(start, end).matchAll(DEFINITION)];
  const first = isText ? heads.findIndex(({ 1: label }) => label!.startsWith('^')) : 0;
  const counted = isText ? heads.slice(first === -1 ? heads.length : first) : heads.slice(0, 1);
  return counted.map(({ 1: label, index }, at) => {
    const next = counted[at + 1]?.index;
    const last = trimmedEnd(text, start + (next ?? end - start));
    const isFootnote = label!.startsWith('^') && next === undefined;
    return {
      label: labelOf(label!),
      start: start + index,
      end: isFootnote ? footnoteEnd(text, last) : last,
    };
  });
}

/** A footnote continues in indented lines, with empty lines between. */
function footnoteEnd(text: string, from: number): number {
  let end = from;
  let at = afterLineEnd(text, from);
  while (at < text.length) {
    const lineStop = lineEnd(text, at);
    if (!isBlank(text, at, lineStop)) {
      if (text[at] !== '\t' && !text.startsWith('    ', at)) return end;
      end = lineStop;
    }
    at = afterLineEnd(text, lineStop);
  }
  return end;
}

function trimmedEnd(text: string, end: number): number {
  let at = end;
  while (isBlank(text, at - 1, at)) at--;
  return at;
}

/**
 * The definitions outside a range that the text in it uses. Markdown uses the first definition of a
 * label, also for text that contains the second.
 */
export function neededFrom(
  note: ParsedNote,
  text: string,
  isOutside: (definition: Definition) => boolean,
): Definition[] {
  const [used, usedApart] = [text, text.replace(DEFINITION, '')].map(
    (part) => new Set(Array.from(part.matchAll(LABEL), ({ 1: label }) => labelOf(label!))),
  );
  const first = new Map<string, Definition>();
  const own = new Map<string, Definition>();
  for (const definition of definitionsOf(note)) {
    const { label } = definition;
    if (!first.has(label)) first.set(label, definition);
    if (!isOutside(definition) && !own.has(label)) own.set(label, definition);
  }
  const textOf = ({ start, end }: Definition) => note.latin1.slice(start, end);
  return [...first.values()].filter((one) => {
    const other = own.get(one.label);
    if (other === undefined) return used!.has(one.label);
    return isOutside(one) && usedApart!.has(one.label) && textOf(one) !== textOf(other);
  });
}

/** A warning for each label that the two notes define differently. */
export function sharedLabels(moved: ParsedNote, target: ParsedNote): string[] {
  const textOf = (note: ParsedNote, { start, end }: Definition) => note.latin1.slice(start, end);
  const known = new Map(definitionsOf(target).map((one) => [one.label, textOf(target, one)]));
  const shared = new Set<string>();
  for (const one of definitionsOf(moved)) {
    const other = known.get(one.label);
    if (other !== undefined && other !== textOf(moved, one)) shared.add(one.label);
  }
  return [...shared].map((label) => `both notes define [${label}]; check the links that use it`);
}

const LABEL = /\[((?:[^[\]\\\r\n]|\\.){1,200})\]/g;

function labelOf(label: string): string {
  return foldName(fromLatin1(label).trim().replace(/\s+/g, ' '));
}
