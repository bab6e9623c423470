/**
 * Reads and edits notes without making anybody else wait. One that would take long, a log of a
 * million lines or a hundred thousand headings, is worked on in a thread of its own, one at a time;
 * to start one takes a tenth of a second, so all others are done at once.
 */
import { Worker } from 'node:worker_threads';
import { siblingModule } from '../index/sibling-module.ts';
import type { NoteEdit } from '../text/edit-note.ts';
import { parseNote } from '../text/parse-note.ts';
import type { ParsedNote } from '../text/parsed-note.ts';
import type { NoteComparison } from './compare-notes.ts';
import { asBuffer, type HeavyWork, heavyWork, type ViewRequest } from './heavy-work.ts';
import { NotesError } from './notes-error.ts';
import { needsParsing } from './read-view.ts';

/** Up to this size a note is read within some hundred milliseconds, whatever it holds. */
const HEAVY_BYTES = 512 * 1024;

type WorkName = keyof HeavyWork;
type Argument<Name extends WorkName> = Parameters<HeavyWork[Name]>[0];
type Result<Name extends WorkName> = ReturnType<HeavyWork[Name]>;

export interface HeavyJob {
  readonly name: WorkName;
  readonly argument: unknown;
}

export type HeavyAnswer =
  | { readonly result: unknown }
  | { readonly refused: Pick<NotesError, 'code' | 'message' | 'data'> };

let last: Promise<unknown> = Promise.resolve();

export async function readNote(bytes: Buffer): Promise<ParsedNote> {
  if (bytes.length <= HEAVY_BYTES) return parseNote(bytes);
  return { ...(await aside('parse', { bytes })), bytes, latin1: bytes.toString('latin1') };
}

/** The note as the edit leaves it. */
export async function editedNote(bytes: Buffer, edit: NoteEdit): Promise<Buffer> {
  const isHeavy = bytes.length > HEAVY_BYTES && !('whole' in edit);
  return asBuffer(await work('edit', { bytes, edit }, isHeavy));
}

/** A file as note_read shows it. */
export async function viewedFile(request: ViewRequest): Promise<object> {
  const isHeavy = request.file.bytes.length > HEAVY_BYTES && needsParsing(request.args);
  return work('view', request, isHeavy);
}

/** What a write did to a note. */
export async function comparedNotes(
  path: string,
  before: Buffer,
  after: Buffer,
): Promise<NoteComparison> {
  const isHeavy = Math.max(before.length, after.length) > HEAVY_BYTES;
  return work('compare', { path, before, after }, isHeavy);
}

async function work<Name extends WorkName>(
  name: Name,
  argument: Argument<Name>,
  isHeavy: boolean,
): Promise<Result<Name>> {
  if (isHeavy) return aside(name, argument);
  return (heavyWork[name] as (argument: Argument<Name>) => Result<Name>)(argument);
}

async function aside<Name extends WorkName>(
  name: Name,
  argument: Argument<Name>,
): Promise<Result<Name>> {
  const done = last.then(() => inThread({ name, argument }));
  last = done.catch(() => {});
  const answer = await done;
  if ('result' in answer) return answer.result as Result<Name>;
  const { code, message, data } = answer.refused;
  throw new NotesError(code, message, data);
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
