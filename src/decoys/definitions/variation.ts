/**
 * Regions of a body that differ between deployments: lines or blocks in a drawn order, a drawn selection
 * of them, or one of them. Prevents fingerprinting by the text around the values, which is public.
 */
import type { Draw } from '../persona/draw.ts';

type Mode = 'shuffle' | 'some' | 'one';

export interface Region {
  readonly mode: Mode | 'all';
  readonly parts: readonly (string | Region)[];
}

/** The word that opens or closes a region, on a separate line. */
const DIRECTIVE = /^[ \t]*\{\{ *(shuffle|some|one|end) *\}\}[ \t]*$/;
const MAX_DEPTH = 4;
/** A unit with a honeytoken is in every selection. */
const KEPT = /\{\{ *(?:token|password|aws\.key_id|aws\.secret) *\}\}/;

/** The lines of a body in regions, or what is wrong with them. */
export function parseVariation(text: string): Region | { readonly problem: string } {
  const open: { mode: Region['mode']; parts: (string | Region)[] }[] = [{ mode: 'all', parts: [] }];
  for (const line of text.split('\n')) {
    const word = DIRECTIVE.exec(line)?.[1] as Mode | 'end' | undefined;
    const current = open.at(-1)!;
    if (word === undefined) {
      current.parts.push(line);
    } else if (word !== 'end') {
      const region = { mode: word, parts: [] };
      current.parts.push(region);
      open.push(region);
      if (open.length > MAX_DEPTH)
        return { problem: `has more than ${MAX_DEPTH - 1} regions in each other` };
    } else {
      open.pop();
      if (open.length === 0) return { problem: 'has an {{end}} without a beginning' };
    }
  }
  if (open.length > 1) return { problem: `has {{${open.at(-1)!.mode}}} without {{end}}` };
  return open[0]!;
}

/** All lines, without the words of regions. */
export function allLines({ parts }: Region): string {
  return parts.map((part) => (typeof part === 'string' ? part : allLines(part))).join('\n');
}

export function isVaried({ parts }: Region): boolean {
  return parts.some((part) => typeof part !== 'string');
}

/** The same text for the same key and label. */
export function vary(region: Region, label: string, draw: Draw): string {
  if (region.mode === 'all') return texts(region.parts, label, draw).join('\n');
  const hasBlocks = region.parts.includes('');
  const units = unitsOf(region.parts, hasBlocks).map((unit, at) => ({
    text: texts(unit, `${label} ${at}`, draw).join('\n'),
    at,
  }));
  const order = draw.shuffled(`${label} order`, units);
  const chosen = order.slice(0, countOf(region.mode, label, units.length, draw));
  const kept =
    region.mode === 'one'
      ? chosen
      : order.filter((unit) => chosen.includes(unit) || KEPT.test(unit.text));
  return joined(
    kept.map(({ text }) => text),
    units.map(({ text }) => text),
    hasBlocks,
  );
}

function countOf(mode: Mode, label: string, count: number, draw: Draw): number {
  if (mode === 'one') return 1;
  const least = Math.ceil(count / 2);
  return mode === 'shuffle' ? count : least + draw.number(`${label} count`, count - least + 1);
}

function texts(parts: Region['parts'], label: string, draw: Draw): string[] {
  return parts.map((part, at) =>
    typeof part === 'string' ? part : vary(part, `${label}/${at}`, draw),
  );
}

/**
 * Blocks are divided by empty lines; else a unit is a line with the deeper lines and regions below it,
 * and with what closes it: a bracket, or the end tag of XML.
 */
function unitsOf(parts: Region['parts'], hasBlocks: boolean): Region['parts'][] {
  const units: (string | Region)[][] = [];
  const depth = Math.min(...parts.map(indent));
  let begins = true;
  for (const part of parts) {
    const isEmpty = part === '';
    const closes = typeof part === 'string' && /^\s*(?:[\]})]|<\/)/.test(part);
    const continues = indent(part) > depth || closes;
    if (units.length === 0 || (hasBlocks ? begins && !isEmpty : !continues)) units.push([]);
    if (!(hasBlocks && isEmpty)) units.at(-1)!.push(part);
    begins = isEmpty;
  }
  return units.filter((unit) => unit.length > 0);
}

/** Of a line, or of the first line of a region. */
function indent(part: string | Region): number {
  if (typeof part !== 'string') return part.parts.length > 0 ? indent(part.parts[0]!) : 0;
  return part.length - part.trimStart().length;
}

/** In lists as of JSON, every line but the last ends in a comma, whichever it is. */
function joined(kept: readonly string[], all: readonly string[], hasBlocks: boolean): string {
  if (all.filter((text) => text.endsWith(',')).length < all.length - 1 || all.length < 2) {
    return kept.join(hasBlocks ? '\n\n' : '\n');
  }
  const last = all.at(-1)!.endsWith(',') ? ',' : '';
  return kept
    .map((text, at) => text.replace(/,$/, '') + (at < kept.length - 1 ? ',' : last))
    .join('\n');
}
