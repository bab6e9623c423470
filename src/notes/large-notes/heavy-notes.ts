/**
 * Parses and edits notes without blocking the event loop. A large note is processed in a worker
 * thread, one at a time; smaller ones inline, because starting a thread takes 0.1 s.
 */
import { asBuffer } from '../../core/as-buffer.ts';
import type { NoteEdit } from '../edit/edit-note.ts';
import type { SectionCut } from '../edit/split.ts';
import { parseNote } from '../markdown/parse-note.ts';
import type { ParsedNote } from '../markdown/parsed-note.ts';
import { asNotesError, NotesError } from '../tool-kit/notes-error.ts';
import { needsParsing } from '../tool-kit/read-view.ts';
import type { NoteComparison } from './compare-notes.ts';
import { inThread } from './heavy-thread.ts';
import {
  type HeavyWork,
  heavyWork,
  type MoveRequest,
  type NoteBytes,
  type NoteNames,
  type ViewRequest,
} from './heavy-work.ts';

/** Up to this size any note is parsed without delaying others by 200 ms. */
const HEAVY_BYTES = 128 * 1024;

type WorkName = keyof HeavyWork;
type Argument<Name extends WorkName> = Parameters<HeavyWork[Name]>[0];
type Result<Name extends WorkName> = ReturnType<HeavyWork[Name]>;

let last: Promise<unknown> = Promise.resolve();

export async function readNote(bytes: Buffer): Promise<ParsedNote> {
  if (bytes.length <= HEAVY_BYTES) return parseNote(bytes);
  return { ...(await inWorker('outline', { bytes })), bytes, latin1: bytes.toString('latin1') };
}

/** The names of the note, without sending its whole structure between threads. */
export async function readNames(bytes: Buffer): Promise<NoteNames> {
  return work('names', { bytes }, bytes.length > HEAVY_BYTES);
}

/** The target with the other note appended, whose links are rewritten already. */
export async function joinedNotes(
  moved: NoteBytes,
  target: NoteBytes,
): Promise<{ readonly bytes: Buffer; readonly warnings: readonly string[] }> {
  const isHeavy = moved.bytes.length + target.bytes.length > HEAVY_BYTES;
  const { bytes, warnings } = await work('join', { moved, target }, isHeavy);
  return { bytes: asBuffer(bytes), warnings };
}

/** The note without a section, and the new note of that section. */
export async function cutNote(
  { path, bytes }: NoteBytes,
  cut: SectionCut,
): Promise<{ readonly rest: Buffer; readonly created: Buffer }> {
  const made = await work('cut', { path, bytes, cut }, bytes.length > HEAVY_BYTES);
  return { rest: asBuffer(made.rest), created: asBuffer(made.created) };
}

/** Both notes after a section was moved. */
export async function movedSection(request: MoveRequest) {
  const isHeavy = request.source.length + request.target.length > HEAVY_BYTES;
  const { rest, filled, section, ...moved } = await work('move', request, isHeavy);
  return { rest: asBuffer(rest), filled: asBuffer(filled), section: asBuffer(section), ...moved };
}

export async function editedNote(bytes: Buffer, edit: NoteEdit): Promise<Buffer> {
  const isHeavy = bytes.length > HEAVY_BYTES && !('whole' in edit);
  return asBuffer(await work('edit', { bytes, edit }, isHeavy));
}

/** A file as note_read shows it. */
export async function viewedFile(request: ViewRequest): Promise<object> {
  const isHeavy = request.file.bytes.length > HEAVY_BYTES && needsParsing(request.args);
  return work('view', request, isHeavy);
}

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
  if (isHeavy) return inWorker(name, argument);
  try {
    return (heavyWork[name] as (argument: Argument<Name>) => Result<Name>)(argument);
  } catch (error) {
    throw asNotesError(error) ?? error;
  }
}

async function inWorker<Name extends WorkName>(
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
