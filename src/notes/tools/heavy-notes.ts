/**
 * Reads and edits notes without making anybody else wait. One that would take long, a log of a
 * million lines or a hundred thousand headings, is worked on in a thread of its own, one at a time;
 * to start one takes a tenth of a second, so all others are done at once.
 */
import { Worker } from 'node:worker_threads';
import { siblingModule } from '../index/sibling-module.ts';
import { EditError } from '../text/edit-error.ts';
import { editNoteBytes, type NoteEdit } from '../text/edit-note.ts';
import { parseNote } from '../text/parse-note.ts';
import type { ParsedNote } from '../text/parsed-note.ts';

/** Up to this size a note is read within some hundred milliseconds, whatever it holds. */
const HEAVY_BYTES = 512 * 1024;

export type HeavyJob =
  | { readonly kind: 'parse'; readonly bytes: Uint8Array }
  | { readonly kind: 'edit'; readonly bytes: Uint8Array; readonly edit: NoteEdit };

/** What a thread answers; the bytes themselves stay where they are. */
export type HeavyAnswer =
  | { readonly note: Omit<ParsedNote, 'bytes' | 'latin1'> }
  | { readonly bytes: Uint8Array }
  | { readonly refused: Pick<EditError, 'code' | 'message' | 'data'> };

let last: Promise<unknown> = Promise.resolve();

export async function readNote(bytes: Buffer): Promise<ParsedNote> {
  if (bytes.length <= HEAVY_BYTES) return parseNote(bytes);
  const answer = await aside({ kind: 'parse', bytes });
  if (!('note' in answer)) throw new Error('a note was to be parsed, and something else was done');
  return { ...answer.note, bytes, latin1: bytes.toString('latin1') };
}

/** The note as the edit leaves it, or why it was not made. */
export async function editedNote(bytes: Buffer, edit: NoteEdit): Promise<Buffer | EditError> {
  if (bytes.length <= HEAVY_BYTES || 'whole' in edit) return editNoteBytes(bytes, edit);
  const answer = await aside({ kind: 'edit', bytes, edit });
  if ('bytes' in answer) {
    return Buffer.from(answer.bytes.buffer, answer.bytes.byteOffset, answer.bytes.byteLength);
  }
  if (!('refused' in answer)) throw new Error('a note was to be edited, and was not');
  const { code, message, data } = answer.refused;
  return new EditError(code, message, data);
}

function aside(job: HeavyJob): Promise<HeavyAnswer> {
  const done = last.then(() => inThread(job));
  last = done.catch(() => {});
  return done;
}

function inThread(job: HeavyJob): Promise<HeavyAnswer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(siblingModule(import.meta.url, 'heavy-notes-worker'), {
      workerData: job,
    });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the thread of a large note ended too early')));
  });
}
