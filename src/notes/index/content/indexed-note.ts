/** The index entry of a note, computed from its path and bytes alone. */
import { contentHash } from '../../files/content-hash.ts';
import { binaryReason } from '../../files/encoding.ts';
import { isNote, spellingKey } from '../../files/vault-path.ts';
import { linksOfPart, type PartLink, readLinkParts } from '../../links/linking-file.ts';
import { parseNote } from '../../markdown/parse-note.ts';
import type { ParsedNote, WholeNote } from '../../markdown/parsed-note.ts';
import { type FileName, fileNames, nameKey } from './link-names.ts';
import { type Language, readLanguage } from './note-language.ts';
import { type NoteProperty, readProperties } from './note-properties.ts';
import type { SearchableSection } from './searchable-section.ts';
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

export interface IndexedTask {
  readonly done: boolean;
  readonly state: string;
  readonly text: string;
  readonly due: string | null;
}

export interface IndexedNote {
  readonly title: string;
  readonly words: number;
  /** Null for an empty note. */
  readonly bodyHash: string | null;
  readonly problem: string | null;
  readonly names: readonly FileName[];
  readonly aliases: readonly string[];
  readonly sections: readonly IndexedSection[];
  /** What is searched of each section, where a thread has computed it ahead. */
  readonly searchable?: readonly SearchableSection[];
  /** The language whose stems are indexed. */
  readonly language?: Language | undefined;
  /** The names of the note for the full-text index. */
  readonly searchableNames: string;
  readonly links: readonly IndexedLink[];
  /** From the folded tag to its first spelling. */
  readonly tags: ReadonlyMap<string, string>;
  readonly tasks: ReadonlyMap<number, IndexedTask>;
  readonly properties: readonly NoteProperty[];
}

/** Larger files are listed as skipped, because indexing one takes long. */
export const MAX_INDEXED_BYTES = 16 * 1024 * 1024;

/** Of the text of a note so much is read to guess its language. */
const LANGUAGE_BYTES = 4000;
const MAX_LINKS = 20_000;
const MAX_TASKS = 20_000;

/** Why a note is not indexed; null if it is. */
export function reasonToSkip(size: number, bytes?: Buffer): string | null {
  if (size > MAX_INDEXED_BYTES) {
    return `too large: ${size} bytes, more than the ${MAX_INDEXED_BYTES} that are indexed`;
  }
  return (bytes && binaryReason(bytes)) ?? null;
}

export function readIndexedNote(path: string, bytes: Buffer): IndexedNote {
  const note = parseNote(bytes);
  const fileName = fileTitle(path);
  const title = note.title?.trim() || fileName;
  const names = fileNames(path, { ...note, title });
  return {
    title,
    words: note.words,
    bodyHash: note.words === 0 ? null : contentHash(trimmedText(note)),
    problem: note.frontmatter?.problem ?? null,
    names,
    aliases: note.aliases,
    sections: cutSections(note),
    language: readLanguage(openingOf(note)),
    searchableNames: searchableNames(path, [title, ...note.aliases]),
    links: note.links.slice(0, MAX_LINKS).map(indexedLink),
    tags: readTags(note),
    tasks: new Map(
      note.tasks
        .slice(0, MAX_TASKS)
        .map(({ line, done, state, text, due }) => [line, { done, state, text, due: due ?? null }]),
    ),
    properties: readProperties({ ...note.pageProperties, ...note.frontmatter?.data }),
  };
}

export function linksOfFile(path: string, bytes: Buffer): IndexedLink[] {
  return readLinkParts(path, bytes.toString('utf8'))
    .flatMap(linksOfPart)
    .map(indexedLink)
    .slice(0, MAX_LINKS);
}

function indexedLink({ kind, target, anchor, line }: PartLink): IndexedLink {
  const key = target === '' ? '' : nameKey(target);
  return { kind, target, anchor: anchor ?? null, line, key };
}

/** The title of a note without one: the file name without `.md`. */
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

function openingOf({ bytes, frontmatter }: WholeNote): string {
  const start = frontmatter?.end ?? 0;
  return bytes.toString('utf8', start, start + LANGUAGE_BYTES);
}

function readTags(note: WholeNote): Map<string, string> {
  const tags = new Map<string, string>();
  for (const { name } of note.tags) {
    const key = foldTag(name);
    if (!tags.has(key)) tags.set(key, name);
  }
  return tags;
}

/** The text with its frontmatter, for finding duplicates, which may differ in surrounding space. */
function trimmedText({ bytes, hasBom }: ParsedNote): Buffer {
  let from = hasBom ? 3 : 0;
  let to = bytes.length;
  while (from < to && bytes[from]! <= 32) from++;
  while (to > from && bytes[to - 1]! <= 32) to--;
  return bytes.subarray(from, to);
}
