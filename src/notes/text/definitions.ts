/**
 * Link definitions and footnotes, `[a]: b` and `[^1]: text`, which stand anywhere in a note and
 * serve all of it; text that leaves a note needs those it uses.
 */
import type { ParsedNote } from './parsed-note.ts';
import { foldName, fromLatin1 } from './utf8.ts';

export interface Definition {
  /** Folded, as labels are compared. */
  readonly label: string;
  readonly start: number;
  readonly end: number;
}

const DEFINITION =
  /^ {0,3}\[((?:[^[\]\\\r\n]|\\.){1,200})\]:[ \t]*[^\r\n]*(?:(?:\r\n|\n|\r)(?:\t| {2,})[^\r\n]+)*/gm;

/** The definitions of a note. One that a fence shows is found, too; it is only ever copied. */
export function definitionsOf(note: ParsedNote): Definition[] {
  return Array.from(note.latin1.matchAll(DEFINITION), ({ 0: whole, 1: label, index }) => ({
    label: labelOf(label!),
    start: index,
    end: index + whole.length,
  }));
}

/** The definitions outside a range that the text in it uses, one for each label. */
export function neededFrom(
  note: ParsedNote,
  text: string,
  isOutside: (definition: Definition) => boolean,
): Definition[] {
  const used = new Set(Array.from(text.matchAll(LABEL), ({ 1: label }) => labelOf(label!)));
  const own = new Set<string>();
  const needed = new Map<string, Definition>();
  for (const definition of definitionsOf(note)) {
    if (!isOutside(definition)) own.add(definition.label);
    else if (!needed.has(definition.label)) needed.set(definition.label, definition);
  }
  return [...needed.values()].filter(({ label }) => used.has(label) && !own.has(label));
}

/** A warning for each label that means something else in the one note than in the other. */
export function sharedLabels(moved: ParsedNote, target: ParsedNote): string[] {
  const textOf = (note: ParsedNote, { start, end }: Definition) => note.latin1.slice(start, end);
  const known = new Map(definitionsOf(target).map((one) => [one.label, textOf(target, one)]));
  const shared = new Set<string>();
  for (const one of definitionsOf(moved)) {
    const other = known.get(one.label);
    if (other !== undefined && other !== textOf(moved, one)) shared.add(one.label);
  }
  return [...shared].map((label) => `both notes define [${label}]; look at the links that use it`);
}

const LABEL = /\[((?:[^[\]\\\r\n]|\\.){1,200})\]/g;

function labelOf(label: string): string {
  return foldName(fromLatin1(label).trim().replace(/\s+/g, ' '));
}
