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
import { applyReplacements, type Replacement } from '../text/replacements.ts';
import { type ViewArguments, type ViewedFile, viewFile } from '../tool-kit/read-view.ts';
import { compareNotes, type NoteComparison } from './compare-notes.ts';

export interface ViewRequest {
  readonly file: ViewedFile;
  readonly args: ViewArguments;
  readonly maxChars: number;
  /** Further fields of the result. */
  readonly beside: object;
}

export interface NoteBytes {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The names of a note besides its file name. */
export type NoteNames = Pick<ParsedNote, 'title' | 'aliases' | 'addresses'>;

export interface JoinedNote {
  readonly bytes: Uint8Array;
  readonly warnings: readonly string[];
}

export interface CutNote {
  readonly rest: Uint8Array;
  readonly created: Uint8Array;
}

export interface MoveRequest {
  readonly source: Uint8Array;
  readonly section: HeadingAddress;
  readonly target: Uint8Array;
  readonly place: MoveTarget;
  /** The moved text with its links rewritten. */
  readonly respelt?: Uint8Array;
}

export interface MovedNotes {
  readonly rest: Uint8Array;
  readonly filled: Uint8Array;
  /** The moved text, and its line in the target. */
  readonly section: Uint8Array;
  readonly line: number;
  readonly warnings: readonly string[];
}

export const heavyWork = {
  /** Without the bytes, which the caller has, and what edits of links do not need. */
  outline: ({ bytes }: { bytes: Uint8Array }): Omit<ParsedNote, 'bytes' | 'latin1'> => {
    const {
      bytes: own,
      latin1,
      tags,
      tasks,
      sections,
      pageProperties,
      ...note
    } = parseNote(asBuffer(bytes));
    return note;
  },
  edit: ({ bytes, edit }: { bytes: Uint8Array; edit: NoteEdit }): Uint8Array =>
    editNoteBytes(asBuffer(bytes), edit),
  view: ({ file, args, maxChars, beside }: ViewRequest): object =>
    viewFile({ ...file, bytes: asBuffer(file.bytes) }, args, maxChars, beside),
  names: ({ bytes }: { bytes: Uint8Array }): NoteNames => {
    const { title, aliases, addresses } = parseNote(asBuffer(bytes));
    return { ...(title !== undefined && { title }), aliases, addresses };
  },
  join: ({ moved, target }: { moved: NoteBytes; target: NoteBytes }): JoinedNote => {
    const into = placed(target);
    const { replacements, warnings } = joinNotes(placed(moved), into);
    return { bytes: applyReplacements(into.note.bytes, replacements), warnings };
  },
  cut: ({ path, bytes, cut }: NoteBytes & { cut: SectionCut }): CutNote => {
    const source = placed({ path, bytes });
    const { replacements, created } = cutSection(source, withBuffers(cut));
    return { rest: applyReplacements(source.note.bytes, replacements), created };
  },
  move: ({ source, section, target, place, respelt }: MoveRequest): MovedNotes => {
    const [from, to] = [parseNote(asBuffer(source)), parseNote(asBuffer(target))];
    const { taken, put, ...moved } = moveToNote(
      from,
      section,
      to,
      place,
      respelt && asBuffer(respelt),
    );
    return {
      rest: applyReplacements(from.bytes, taken),
      filled: applyReplacements(to.bytes, put),
      ...moved,
    };
  },
  compare: (change: { path: string; before: Uint8Array; after: Uint8Array }): NoteComparison =>
    compareNotes(change.path, asBuffer(change.before), asBuffer(change.after)),
} as const;

export type HeavyWork = typeof heavyWork;

function placed({ path, bytes }: NoteBytes): PlacedNote<WholeNote> {
  return { path, note: parseNote(asBuffer(bytes)) };
}

function withBuffers(cut: SectionCut): SectionCut {
  const buffers = (replacements: readonly Replacement[]) =>
    replacements.map((one) => ({ ...one, bytes: asBuffer(one.bytes) }));
  return { ...cut, staying: buffers(cut.staying), leaving: buffers(cut.leaving) };
}
