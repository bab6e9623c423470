/** Operations on the bytes of a note: data in, data out, so that a worker thread can run them. */
import { asBuffer } from '../../core/as-buffer.ts';
import { editNoteBytes, type NoteEdit } from '../edit/edit-note.ts';
import { joinNotes, type PlacedNote } from '../edit/merge.ts';
import type { MoveTarget } from '../edit/move-section.ts';
import { moveToNote } from '../edit/move-to-note.ts';
import { cutSection, type SectionCut } from '../edit/split.ts';
import type { HeadingAddress } from '../markdown/find-heading.ts';
import { parseNote } from '../markdown/parse-note.ts';
import type { ParsedNote, WholeNote } from '../markdown/parsed-note.ts';
import { applyReplacements } from '../text/replacements.ts';
import { type ViewArguments, type ViewedFile, viewFile } from '../tool-kit/read-view.ts';
import { compareNotes } from './compare-notes.ts';

export interface ViewRequest {
  readonly file: ViewedFile;
  readonly args: ViewArguments;
  readonly maxChars: number;
  /** Further fields of the result. */
  readonly beside: object;
}

export interface NoteBytes {
  readonly path: string;
  readonly bytes: Buffer;
}

export interface MoveRequest {
  readonly source: Buffer;
  readonly section: HeadingAddress;
  readonly target: Buffer;
  readonly place: MoveTarget;
  /** The moved text with its links rewritten. */
  readonly respelt?: Buffer;
}

/** The names of a note besides its file name. */
export type NoteNames = Pick<ParsedNote, 'title' | 'aliases' | 'addresses'>;

export const heavyWork = {
  /** Without the bytes, which the caller has, and what edits of links do not need. */
  outline: (bytes: Buffer): Omit<ParsedNote, 'bytes' | 'latin1'> => {
    const { bytes: own, latin1, tags, tasks, sections, pageProperties, ...note } = parseNote(bytes);
    return note;
  },
  edit: ({ bytes, edit }: { bytes: Buffer; edit: NoteEdit }) => editNoteBytes(bytes, edit),
  view: ({ file, args, maxChars, beside }: ViewRequest) => viewFile(file, args, maxChars, beside),
  names: (bytes: Buffer): NoteNames => {
    const { title, aliases, addresses } = parseNote(bytes);
    return { ...(title !== undefined && { title }), aliases, addresses };
  },
  join: ({ moved, target }: { moved: NoteBytes; target: NoteBytes }) => {
    const { replacements, warnings } = joinNotes(placed(moved), placed(target));
    return { bytes: applyReplacements(target.bytes, replacements), warnings };
  },
  cut: ({ path, bytes, cut }: NoteBytes & { cut: SectionCut }) => {
    const { replacements, created } = cutSection(placed({ path, bytes }), cut);
    return { rest: applyReplacements(bytes, replacements), created };
  },
  /** Both notes, the moved text, and its line in the target. */
  move: ({ source, section, target, place, respelt }: MoveRequest) => {
    const [from, to] = [parseNote(source), parseNote(target)];
    const { taken, put, ...moved } = moveToNote(from, section, to, place, respelt);
    const [rest, filled] = [applyReplacements(source, taken), applyReplacements(target, put)];
    return { rest, filled, ...moved };
  },
  compare: ({ path, before, after }: { path: string; before: Buffer; after: Buffer }) =>
    compareNotes(path, before, after),
} as const;

export type HeavyWork = typeof heavyWork;

/** Bytes arrive from another thread as plain arrays. Makes them Buffers again, down to a depth. */
export function withBuffers<Value>(value: Value, depth: number): Value {
  if (value instanceof Uint8Array) return asBuffer(value) as Value & Buffer;
  if (depth === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withBuffers(item, depth - 1)) as Value;
  const entries = Object.entries(value).map(([key, part]) => [key, withBuffers(part, depth - 1)]);
  return Object.fromEntries(entries) as Value;
}

function placed({ path, bytes }: NoteBytes): PlacedNote<WholeNote> {
  return { path, note: parseNote(bytes) };
}
