/** What the index keeps of a file, from its path and bytes alone. */
import { contentHash } from '../../files/content-hash.ts';
import { isNote, spellingKey } from '../../files/vault-path.ts';
import { parseNote } from '../../markdown/parse-note.ts';
import type { ParsedNote, WholeNote } from '../../markdown/parsed-note.ts';
import { type FileName, fileNames, nameKey } from './link-names.ts';
import { type NoteProperty, readProperties } from './note-properties.ts';
import { type SearchableSection, searchableSection } from './searchable-section.ts';
import { searchableParts, searchableText } from './searchable-text.ts';
import { cutSections, type IndexedSection } from './section-cuts.ts';

export interface IndexedLink {
  readonly kind: string;
  readonly target: string;
  readonly anchor: string | null;
  readonly line: number;
  /** Empty for a link within its own note. */
  readonly key: string;
}

/** The texts of a note as the full-text index sees them. */
export interface SearchableNote {
  readonly names: string;
  /** One for each section. */
  readonly sections: readonly SearchableSection[];
}

export interface IndexedNote {
  readonly title: string;
  readonly words: number;
  /** Null where there is nothing in it. */
  readonly bodyHash: string | null;
  readonly problem: string | null;
  readonly names: readonly FileName[];
  readonly aliases: readonly string[];
  readonly sections: readonly IndexedSection[];
  readonly searchable: SearchableNote;
  readonly links: readonly IndexedLink[];
  /** The folded tag, and the first way it is written in. */
  readonly tags: ReadonlyMap<string, string>;
  readonly tasks: ReadonlyMap<number, { done: boolean; text: string; due: string | null }>;
  readonly properties: readonly NoteProperty[];
}

/** Larger files are told of as skipped: nobody reads them as notes, and indexing one takes long. */
export const MAX_INDEXED_BYTES = 16 * 1024 * 1024;

const MAX_LINKS = 20_000;
const MAX_TASKS = 20_000;

/** Why a note is not indexed, or null where it can be. */
export function reasonToSkip(size: number, bytes?: Buffer): string | null {
  if (size > MAX_INDEXED_BYTES) {
    return `too large: ${size} bytes, more than the ${MAX_INDEXED_BYTES} that are indexed`;
  }
  return bytes?.includes(0) ? 'binary: it holds NUL bytes, so it is no text' : null;
}

export function readIndexedNote(path: string, bytes: Buffer): IndexedNote {
  const note = parseNote(bytes);
  const fileName = fileTitle(path);
  const title = note.title?.trim() || fileName;
  const names = fileNames(path, title, note.aliases);
  const sections = cutSections(note);
  return {
    title,
    words: note.words,
    bodyHash: note.words === 0 ? null : contentHash(trimmedBody(note)),
    problem: note.frontmatter?.problem ?? null,
    names,
    aliases: note.aliases,
    sections,
    searchable: {
      names: searchableNames(path, [title, ...note.aliases]),
      sections: sections.map(searchableSection),
    },
    links: note.links.slice(0, MAX_LINKS).map((link) => ({
      kind: link.kind,
      target: link.target,
      anchor: link.anchor ?? null,
      line: link.line,
      key: link.target === '' ? '' : nameKey(link.target),
    })),
    tags: readTags(note),
    tasks: new Map(
      note.tasks
        .slice(0, MAX_TASKS)
        .map(({ line, done, text, due }) => [line, { done, text, due: due ?? null }]),
    ),
    properties: readProperties(note.frontmatter?.data ?? {}),
  };
}

/** What a file is called that says nothing of itself: its name without the ending of a note. */
export function fileTitle(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return isNote(name) ? name.slice(0, -3) : name;
}

/** The title, the aliases and the path: a folder often says what its notes are about. */
function searchableNames(path: string, names: readonly string[]): string {
  const all = [...new Set([...names, path.replace(/\.md$/i, '')])].join('\n');
  return `${searchableText(all)}\n${searchableParts(all)}`;
}

export function foldTag(tag: string): string {
  return spellingKey(tag.replace(/^#/, ''));
}

function readTags(note: WholeNote): Map<string, string> {
  const tags = new Map<string, string>();
  for (const { name } of note.tags) {
    const key = foldTag(name);
    if (!tags.has(key)) tags.set(key, name);
  }
  return tags;
}

/** Two notes that differ in frontmatter or in space around the text are duplicates all the same. */
function trimmedBody(note: ParsedNote): Buffer {
  let from = note.frontmatter?.end ?? 0;
  let to = note.bytes.length;
  while (from < to && note.bytes[from]! <= 32) from++;
  while (to > from && note.bytes[to - 1]! <= 32) to--;
  return note.bytes.subarray(from, to);
}
