/** A file as `note_read` shows it: text, outline or full structure, within a budget. */
import { isUtf8 } from 'node:buffer';
import { binaryReason } from '../files/encoding.ts';
import type { StoredFile } from '../files/stored-file.ts';
import { isNote } from '../files/vault-path.ts';
import { findHeading } from '../markdown/find-heading.ts';
import { readFrontmatter } from '../markdown/frontmatter.ts';
import { parseNote } from '../markdown/parse-note.ts';
import type { Frontmatter, Heading } from '../markdown/parsed-note.ts';
import { isUsualState } from '../markdown/tasks.ts';
import { lineStarts } from '../text/lines.ts';
import { clip, clipTexts, countFitting, jsonLength } from './fit.ts';
import { invalidArguments } from './notes-error.ts';
import { type Range, readPart, readRange, writeRange } from './read-lines.ts';

export interface ViewArguments {
  readonly view?: 'content' | 'outline' | 'full';
  readonly heading?: string;
  readonly heading_path?: readonly string[];
  readonly lines?: string;
}

const MIN_CHARS = 200;

export type ViewedFile = Pick<StoredFile, 'path' | 'bytes' | 'contentHash'>;

/** Whether the note must be parsed. */
export function needsParsing({ view = 'content', heading, heading_path }: ViewArguments): boolean {
  return view !== 'content' || heading !== undefined || heading_path !== undefined;
}

/** The result for any file; `content` is empty for a binary file. */
export function viewFile(
  { path, bytes, contentHash }: ViewedFile,
  args: ViewArguments,
  maxChars: number,
  beside: object,
): object {
  const known = { path, ...beside, content_hash: contentHash };
  if (isBinary(path, bytes)) {
    const reason = isNote(path) ? binaryReason(bytes) : undefined;
    const warning = reason
      ? `${reason}; convert it to UTF-8 in an editor to read and edit it here`
      : 'the file is not text; read it as a resource';
    const about = { bytes: bytes.length, binary: true, warnings: [warning] };
    return { ...known, content: '', frontmatter: null, ...about };
  }
  const latin1 = bytes.toString('latin1');
  const starts = lineStarts(latin1);
  const range = rangeOf(bytes, starts, args);
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const { frontmatter } = isNote(path) ? readFrontmatter(bytes, latin1, starts, start) : {};
  const front = shownFrontmatter(frontmatter, Math.floor(maxChars / 4));
  const warnings = [
    ...(isUtf8(bytes)
      ? []
      : ['the file is not all UTF-8; invalid bytes are shown as U+FFFD, and no tool edits it']),
    ...front.warnings,
  ];
  const shown = {
    ...known,
    frontmatter: front.data,
    ...(args.view === 'full' && parsedParts(bytes, Math.floor(maxChars / 4))),
    total_lines: bytes.length === 0 ? 0 : starts.length,
    ...(warnings.length > 0 && { warnings }),
  };
  const budget = Math.max(MIN_CHARS, maxChars - jsonLength(shown) - MIN_CHARS);
  const part =
    args.view === 'outline'
      ? outlinePart(bytes, starts, range, budget)
      : readPart(bytes, starts, range, budget);
  return { ...shown, ...part };
}

/** A file with a NUL byte is binary, and so is an attachment that is not UTF-8. */
function isBinary(path: string, bytes: Buffer): boolean {
  return binaryReason(bytes) !== undefined || (!isNote(path) && !isUtf8(bytes));
}

function rangeOf(bytes: Buffer, starts: Uint32Array, args: ViewArguments): Range {
  const { heading, heading_path, lines } = args;
  const given = [heading, heading_path, lines].filter((part) => part !== undefined);
  if (given.length === 0) return { start: 0, end: bytes.length };
  if (given.length > 1) {
    throw invalidArguments('give exactly one of heading, heading_path and lines');
  }
  if (lines !== undefined) return readRange(lines, starts, bytes.length);
  const address = heading === undefined ? { heading_path: heading_path! } : { heading };
  return findHeading(parseNote(bytes), address, 'lines');
}

function shownFrontmatter(
  frontmatter: Frontmatter | undefined,
  maxChars: number,
): { data: unknown; warnings: string[] } {
  if (frontmatter === undefined) return { data: null, warnings: [] };
  if (frontmatter.problem !== undefined) return { data: null, warnings: [frontmatter.problem] };
  try {
    if (jsonLength(frontmatter.data) <= maxChars) return { data: frontmatter.data, warnings: [] };
  } catch {
    // An alias within its own anchor makes the data circular.
  }
  return { data: null, warnings: ['the frontmatter is too long to show separately; see content'] };
}

/** The headings within the range, with `next` for the rest. */
function outlinePart(bytes: Buffer, starts: Uint32Array, range: Range, maxChars: number): object {
  const within = parseNote(bytes).headings.filter(
    ({ start }) => start >= range.start && start < range.end,
  );
  const items = within.slice(0, maxChars).map(outlineItem);
  const outline = items.slice(0, countFitting(items, maxChars));
  const rest = within[outline.length];
  if (rest === undefined) return { outline };
  return { outline, next: writeRange({ start: rest.start, end: range.end }, starts, bytes.length) };
}

function outlineItem({ level, text, line }: Heading): object {
  return { line, level, heading: clip(text) };
}

/** The other parsed parts; `cut` names the lists that were truncated. */
function parsedParts(bytes: Buffer, maxChars: number): object {
  const note = parseNote(bytes);
  const lists = {
    outline: note.headings.map(outlineItem),
    tags: [...new Set(note.tags.map(({ name }) => name))],
    aliases: note.aliases,
    links: [...new Set(note.links.map(({ target }) => target))].filter((target) => target !== ''),
    tasks: note.tasks.map(({ line, done, state, text }) => ({
      line,
      done,
      ...(!isUsualState(state) && { state }),
      text,
    })),
  };
  const each = Math.floor(maxChars / Object.keys(lists).length);
  const shown: Record<string, unknown> = { title: clip(note.title ?? ''), words: note.words };
  const cut: string[] = [];
  for (const [name, items] of Object.entries(lists)) {
    const first = clipTexts(items.slice(0, each));
    const count = countFitting(first, each);
    shown[name] = first.slice(0, count);
    if (count < items.length) cut.push(name);
  }
  return { ...shown, ...(cut.length > 0 && { cut }) };
}
