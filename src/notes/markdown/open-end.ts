/**
 * Detects an unclosed last block that would swallow appended text: a fence without its closing
 * line, or HTML that CommonMark 4.6 ends at a marker rather than an empty line.
 */
import type { Block } from './blocks.ts';
import type { OpenEnd } from './parsed-note.ts';

const HTML_ENDS: readonly [opener: RegExp, end: RegExp][] = [
  [/^<(?:script|pre|style|textarea)(?=[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [/^<![A-Za-z]/, />/],
];

/** `written` is the text of the last block, which is in no list or quote. */
export function readOpenEnd(block: Block, written: string, line: number): OpenEnd | undefined {
  if (block.kind === 'fence') {
    const lines = written.replace(/(?:\r\n|\n|\r)$/, '').split(/\r\n|\n|\r/);
    const last = lines.length > 1 ? lines.at(-1)! : '';
    const closing = /^ {0,3}(`+|~+)[ \t]*$/.exec(last)?.[1];
    const closed = closing?.[0] === block.markup[0] && closing!.length >= block.markup.length;
    return closed ? undefined : { kind: 'fence', line, closer: block.markup };
  }
  if (block.kind !== 'html') return undefined;
  const html = written.trimStart();
  const ends = HTML_ENDS.find(([opener]) => opener.test(html));
  return ends && !ends[1].test(html) ? { kind: 'html', line } : undefined;
}
