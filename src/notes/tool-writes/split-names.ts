/** The sections that `note_split` takes out, and the paths of the new notes. */
import { posix } from 'node:path';
import { parseFolder, parseVaultPath, spellingKey, type VaultPath } from '../files/vault-path.ts';
import { findHeading, type HeadingAddress } from '../markdown/find-heading.ts';
import type { Heading, ParsedNote } from '../markdown/parsed-note.ts';
import { EditError } from '../text/edit-error.ts';
import { nameOfTitle } from '../tool-kit/name-of-title.ts';
import { notePath } from '../tool-kit/note-path.ts';
import { NotesError } from '../tool-kit/notes-error.ts';

export interface SplitArguments extends HeadingAddress {
  readonly level?: number;
  readonly to?: string;
}

export interface NamedSection {
  readonly heading: Heading;
  readonly path: VaultPath;
}

const MAX_SECTIONS = 100;

export function sectionsToSplit(
  path: VaultPath,
  note: ParsedNote,
  { level, to, ...address }: SplitArguments,
): NamedSection[] {
  const folder = posix.dirname(path) === '.' ? '' : posix.dirname(path);
  if (level === undefined) {
    const heading = findHeading(note, address);
    return [{ heading, path: pathOfOne(heading, folder, to) }];
  }
  const headings = headingsAt(note, level, address);
  const into = to === undefined ? folder : parseFolder(to);
  const taken = new Set<string>();
  return headings.map((heading) => {
    const name = nameOf(heading);
    let free = joined(into, name);
    for (let count = 2; taken.has(spellingKey(free)); count++)
      free = joined(into, `${name} ${count}`);
    taken.add(spellingKey(free));
    return { heading, path: free };
  });
}

function headingsAt(note: ParsedNote, level: number, address: HeadingAddress): readonly Heading[] {
  if (Object.values(address).some((part) => part !== undefined)) {
    throw new EditError(
      'invalid_arguments',
      'give level, or exactly one of heading, heading_path and line',
    );
  }
  const headings = note.headings.filter((heading) => heading.level === level);
  if (headings.length === 0) {
    throw new EditError(
      'heading_not_found',
      `the note has no heading of level ${level}; note_read shows its outline`,
    );
  }
  if (headings.length <= MAX_SECTIONS) return headings;
  throw new NotesError(
    'limit_exceeded',
    `${headings.length} sections exceed the limit of ${MAX_SECTIONS} per call; split at a higher level first`,
    { sections: headings.length },
  );
}

function pathOfOne(heading: Heading, folder: string, to: string | undefined): VaultPath {
  if (to === undefined) return joined(folder, nameOf(heading));
  return to.endsWith('/') ? joined(parseFolder(to), nameOf(heading)) : notePath(to);
}

function joined(folder: string, name: string): VaultPath {
  return parseVaultPath(folder === '' ? `${name}.md` : `${folder}/${name}.md`);
}

function nameOf({ text }: Heading): string {
  return nameOfTitle(text, 'Untitled');
}
