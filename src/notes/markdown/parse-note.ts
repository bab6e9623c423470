import { channel } from 'node:diagnostics_channel';
import { commonEol, isBlank, lineAt, lineStarts } from '../text/lines.ts';
import { type Block, readBlocks } from './blocks.ts';
import { readFrontmatter } from './frontmatter.ts';
import { InlineScan } from './inline-scan.ts';
import { readDefinition } from './link-definition.ts';
import { readOpenEnd } from './open-end.ts';
import { cutSections, nestHeadings, readHeading } from './outline.ts';
import { readPageProperties } from './page-properties.ts';
import type { Task, WholeNote } from './parsed-note.ts';
import { readTask } from './tasks.ts';
import { countWords } from './words.ts';

/** Publishes the bytes of every note that is parsed. */
export const parses = channel('gatehouse:notes:parse');

/** One edit reads its note before and after it in several steps, and links to it in others. */
const MAX_KEPT = 4;
const MAX_KEPT_BYTES = 128 * 1024;
const kept: WholeNote[] = [];

/**
 * Parses any bytes without failing, in time and memory linear in their length. The notes parsed last
 * are kept, because the steps of one edit ask for the same few.
 */
export function parseNote(bytes: Buffer): WholeNote {
  const found = kept.findIndex((note) => isOf(note, bytes));
  const note = found === -1 ? parseAnew(bytes) : { ...kept.splice(found, 1)[0]!, bytes };
  if (bytes.length <= MAX_KEPT_BYTES) kept.unshift(note);
  if (kept.length > MAX_KEPT) kept.pop();
  return note;
}

/** Compares with the text, because a buffer may have been written to since. */
function isOf({ latin1 }: WholeNote, bytes: Buffer): boolean {
  return latin1.length === bytes.length && latin1 === bytes.toString('latin1');
}

function parseAnew(bytes: Buffer): WholeNote {
  parses.publish(bytes);
  const latin1 = bytes.toString('latin1');
  const starts = lineStarts(latin1);
  const hasBom = latin1.startsWith('\xef\xbb\xbf');
  const textStart = hasBom ? 3 : 0;
  const front = readFrontmatter(bytes, latin1, starts, textStart);
  const bodyStart = front.frontmatter?.end ?? textStart;
  const body = readBody(bytes, latin1, starts, bodyStart);
  const page = front.frontmatter ? undefined : readPageProperties(latin1, starts, bodyStart);
  const headings = nestHeadings(body.headings, bytes.length);
  const title = front.title ?? page?.title ?? headings.find(({ level }) => level === 1)?.text;
  return {
    bytes,
    latin1,
    lineStarts: starts,
    eol: commonEol(latin1),
    hasBom,
    ...(front.frontmatter && { frontmatter: front.frontmatter }),
    headings,
    links: [...front.links, ...body.scan.links],
    tags: [...front.tags, ...(page?.tags ?? []), ...body.scan.tags],
    tasks: body.tasks,
    aliases: page?.aliases ?? front.aliases,
    addresses: addressesOf(front.frontmatter?.data),
    ...(page && { pageProperties: page.data }),
    ...(title !== undefined && { title }),
    words: countWords(bytes, bodyStart),
    sections: cutSections(headings, bodyStart, lineAt(starts, bodyStart), bytes.length),
    ...(body.openEnd && { openEnd: body.openEnd }),
  };
}

function readBody(bytes: Buffer, latin1: string, starts: Uint32Array, bodyStart: number) {
  const scan = new InlineScan(latin1, starts);
  const headings: ReturnType<typeof readHeading>[] = [];
  const bulletHeadings: typeof headings = [];
  const tasks: Task[] = [];
  // The block parser counts its lines from 0, beginning with the first line of the body.
  const firstLine = lineAt(starts, bodyStart) - 1;
  const offset = (line: number) =>
    line === 0 ? bodyStart : (starts[firstLine + line] ?? latin1.length);
  let itemLine = -1;
  let last: Block | undefined;
  // Markdown-it reads a flat string faster than a slice of another.
  const body = bodyStart === 0 ? latin1 : bytes.toString('latin1', bodyStart);
  readBlocks(body, (block) => {
    const start = offset(block.firstLine);
    const line = firstLine + block.firstLine + 1;
    last = block;
    if (block.kind === 'item') {
      itemLine = block.firstLine;
    } else if (block.kind === 'heading' && block.depth === 0) {
      headings.push(readHeading(latin1, block, line, start, offset(block.endLine)));
    } else if (block.kind === 'heading' && block.depth === 2 && block.firstLine === itemLine) {
      // The list and the item are the two levels above it.
      const at = latin1.indexOf('#', start);
      const heading = readHeading(latin1, block, line, at, offset(block.endLine));
      if (block.markup.startsWith('#')) bulletHeadings.push({ ...heading, start });
    } else if (block.kind === 'definition') {
      const link = readDefinition(latin1, start, offset(block.endLine), line);
      if (link) scan.links.push(link);
      else scan.read(start, offset(block.endLine));
    } else if (block.kind === 'text') {
      const task = block.firstLine === itemLine ? readTask(latin1, start, line) : undefined;
      if (task) tasks.push(task);
      itemLine = -1;
      scan.read(start, offset(block.endLine));
    }
  });
  const [lastStart, lastEnd] = last ? [offset(last.firstLine), offset(last.endLine)] : [0, 0];
  const openEnd =
    last?.depth === 0 && isBlank(latin1, lastEnd, latin1.length)
      ? readOpenEnd(last, latin1.slice(lastStart, lastEnd), lineAt(starts, lastStart))
      : undefined;
  return { scan, headings: headings.length > 0 ? headings : bulletHeadings, tasks, openEnd };
}

const ADDRESS_KEYS = ['slug', 'permalink', 'url'];

function addressesOf(data: Readonly<Record<string, unknown>> = {}): string[] {
  return ADDRESS_KEYS.flatMap((key) => {
    const value = Object.hasOwn(data, key) ? data[key] : undefined;
    return typeof value === 'string' && !/^\w+:\/\//.test(value) ? [value] : [];
  });
}
