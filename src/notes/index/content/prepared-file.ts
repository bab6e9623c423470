/** A file on its way into the index: found, read, parsed. */
import { contentHash } from '../../files/content-hash.ts';
import { isNote } from '../../files/vault-path.ts';
import { isLinkingFile } from '../../links/linking-file.ts';
import {
  type IndexedLink,
  type IndexedNote,
  linksOfFile,
  readIndexedNote,
  reasonToSkip,
} from './indexed-note.ts';
import { searchableSection } from './searchable-section.ts';

export interface FileStamp {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

export interface FoundFile extends FileStamp {
  /** Absent for attachments, and for notes that are too large or cannot be read. */
  readonly bytes?: Buffer;
  /** Why it cannot be read. */
  readonly unreadable?: string;
}

/** A file ready to be written to the index; prepared in any thread. */
export interface PreparedFile {
  readonly stamp: FileStamp;
  /** Null for an attachment and an unreadable note. */
  readonly hash: string | null;
  readonly skipped: string | null;
  readonly note?: IndexedNote;
  /** Of a canvas or a base. */
  readonly links?: readonly IndexedLink[];
}

export function prepareFile(file: FoundFile, hash = hashOf(file)): PreparedFile {
  const { path, size, mtimeMs, bytes } = file;
  const stamp = { path, size, mtimeMs };
  const skipped = isNote(path) ? (file.unreadable ?? reasonToSkip(size, bytes)) : null;
  if (hash === null || bytes === undefined || skipped !== null) return { stamp, hash, skipped };
  try {
    if (!isNote(path)) return { stamp, hash, skipped, links: linksOfFile(path, bytes) };
    return { stamp, hash, skipped, note: readIndexedNote(path, bytes) };
  } catch (error) {
    return { stamp, hash, skipped: `cannot be parsed: ${parseProblem(error)}` };
  }
}

/**
 * One note that exhausts the parser, such as the stack of V8 by nested syntax, must not end the build of a
 * whole vault. The name of the error alone, since its message may quote the note.
 */
function parseProblem(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** Computes the words of all sections as well, which is a fifth of what it takes to write a note. */
export function withWords(prepared: PreparedFile): PreparedFile {
  const { note } = prepared;
  if (!note) return prepared;
  const searchable = note.sections.map((section) => searchableSection(section, note.language));
  return { ...prepared, note: { ...note, searchable } };
}

export function hashOf({ path, bytes }: FoundFile): string | null {
  return bytes !== undefined && (isNote(path) || isLinkingFile(path)) ? contentHash(bytes) : null;
}
