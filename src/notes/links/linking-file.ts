/**
 * Links in files that are no notes: Obsidian's canvases (JSON) and bases (YAML with formulas). Only
 * the text of a link is ever replaced, so everything else in the file stays as it is.
 */
import { parseNote } from '../markdown/parse-note.ts';
import type { Link } from '../markdown/parsed-note.ts';
import { lineAt, lineStarts } from '../text/lines.ts';

export interface LinkPart {
  /** A path, the target of a wiki link, a folder, or Markdown. */
  readonly kind: 'path' | 'wiki' | 'folder' | 'markdown';
  readonly value: string;
  /** The heading that a card of a canvas shows. */
  readonly anchor?: string;
  readonly line: number;
  /** The range in the text that `write` replaces. */
  readonly start: number;
  readonly end: number;
  /** Undefined if this place cannot hold the value. */
  write(value: string, anchor: string | undefined): string | undefined;
}

export type PartLink = Pick<Link, 'kind' | 'target' | 'anchor' | 'line'>;

const MAX_PARTS = 20_000;

export function isLinkingFile(path: string): boolean {
  return /\.(?:canvas|base)$/i.test(path);
}

export function readLinkParts(path: string, text: string): LinkPart[] {
  const starts = lineStarts(text);
  const parts = /\.canvas$/i.test(path) ? canvasParts(text) : baseParts(text);
  return parts.slice(0, MAX_PARTS).map((part) => ({ ...part, line: lineAt(starts, part.start) }));
}

/** The links that a part has. A folder is none, because it names many files. */
export function linksOfPart({ kind, value, anchor, line }: LinkPart): PartLink[] {
  if (kind === 'folder') return [];
  if (kind === 'markdown') {
    return parseNote(Buffer.from(value)).links.map((link) => ({ ...link, line }));
  }
  const target = kind === 'path' ? `/${value}` : value;
  const shown = kind === 'path' ? 'embed' : 'wiki';
  return [{ kind: shown, target, line, ...(anchor !== undefined && { anchor }) }];
}

type Part = Omit<LinkPart, 'line'>;

const STRING = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"';
/** Quotes within a JSON string are escaped, so this finds members only. */
const MEMBER = new RegExp(
  `"(file|background|text)"\\s*:\\s*(${STRING})(?:(\\s*,\\s*"subpath"\\s*:\\s*)(${STRING}))?`,
  'g',
);

/** None of invalid JSON, and of text with millions of escapes, which exhausts the stack. */
function canvasParts(text: string): Part[] {
  try {
    JSON.parse(text);
    return membersOf(text);
  } catch {
    return [];
  }
}

function membersOf(text: string): Part[] {
  return [...text.matchAll(MEMBER)].map(
    ({ 0: whole, 1: name, 2: json, 3: between, 4: sub, index }) => {
      const end = index + whole.length;
      const start = end - (json + (between ?? '') + (sub ?? '')).length;
      const subpath = sub === undefined ? undefined : String(JSON.parse(sub));
      return {
        kind: name === 'text' ? 'markdown' : 'path',
        value: String(JSON.parse(json!)),
        ...(subpath?.startsWith('#') && { anchor: subpath.slice(1) }),
        start,
        end,
        write: (value, anchor) => {
          const tail = anchor === undefined ? (sub ?? '') : JSON.stringify(`#${anchor}`);
          return JSON.stringify(value) + (sub === undefined ? '' : between + tail);
        },
      };
    },
  );
}

/** In quotes within YAML, which may be escaped themselves. */
const IN_BASE: readonly (readonly [LinkPart['kind'], RegExp])[] = [
  // The negative lookahead prevents backtracking, which would take quadratic time.
  ['wiki', /(?<=\[\[)([^[\]|#^"'\\\n]+)(?![^[\]|#^"'\\\n])(?=[^[\]\n]*\]\])/g],
  ['wiki', /(?<=\b(?:link|file|hasLink)\(\s*\\?["'])([^"'\\\n]+)(?=\\?["'])/g],
  ['path', /(?<=\bfile\.path\s*[=!]=\s*\\?["'])([^"'\\\n]+)(?=\\?["'])/g],
  ['folder', /(?<=\bfile\.folder\s*[=!]=\s*\\?["'])([^"'\\\n]+)(?=\\?["'])/g],
  ['folder', /(?<=\binFolder\(\s*\\?["'])([^"'\\\n]+)(?=\\?["'])/g],
];

function baseParts(text: string): Part[] {
  return IN_BASE.flatMap(([kind, expression]) =>
    [...text.matchAll(expression)].map(({ 0: value, index }) => ({
      kind,
      value,
      start: index,
      end: index + value.length,
      write: (next: string) => (/["'\\\n]/.test(next) ? undefined : next),
    })),
  );
}
