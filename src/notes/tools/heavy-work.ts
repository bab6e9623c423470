/** What is done with a note by its bytes alone: data in, data out, so that any thread can do it. */
import { editNoteBytes, type NoteEdit } from '../text/edit-note.ts';
import { parseNote } from '../text/parse-note.ts';
import type { ParsedNote } from '../text/parsed-note.ts';
import { compareNotes, type NoteComparison } from './compare-notes.ts';
import { unlessRefused } from './notes-error.ts';
import { type ViewArguments, type ViewedFile, viewFile } from './read-view.ts';

export interface ViewRequest {
  readonly file: ViewedFile;
  readonly args: ViewArguments;
  readonly maxChars: number;
  /** Shown beside it. */
  readonly beside: object;
}

export const heavyWork = {
  /** The bytes themselves stay where they are. */
  parse: ({ bytes }: { bytes: Uint8Array }): Omit<ParsedNote, 'bytes' | 'latin1'> => {
    const { bytes: _, latin1: __, ...note } = parseNote(asBuffer(bytes));
    return note;
  },
  edit: ({ bytes, edit }: { bytes: Uint8Array; edit: NoteEdit }): Uint8Array =>
    unlessRefused(editNoteBytes(asBuffer(bytes), edit)),
  view: ({ file, args, maxChars, beside }: ViewRequest): object =>
    viewFile({ ...file, bytes: asBuffer(file.bytes) }, args, maxChars, beside),
  compare: (change: { path: string; before: Uint8Array; after: Uint8Array }): NoteComparison =>
    compareNotes(change.path, asBuffer(change.before), asBuffer(change.after)),
} as const;

export type HeavyWork = typeof heavyWork;

/** The same memory: what another thread sends as a buffer arrives as a plain array. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
