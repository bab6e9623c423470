/**
 * Parses and edits notes without blocking the event loop. A large note is processed in a worker
 * thread, one at a time; smaller ones inline, because starting a thread takes 0.1 s.
 */
import type { NoteEdit } from '../edit/edit-note.ts';
import type { SectionCut } from '../edit/split.ts';
import { parseNote } from '../markdown/parse-note.ts';
import type { ParsedNote } from '../markdown/parsed-note.ts';
import { asNotesError, NotesError } from '../tool-kit/notes-error.ts';
import { needsParsing } from '../tool-kit/read-view.ts';
import { inThread } from './heavy-thread.ts';
import {
  type HeavyWork,
  heavyWork,
  type MoveRequest,
  type NoteBytes,
  type ViewRequest,
  withBuffers,
} from './heavy-work.ts';

/** Up to this size any note is parsed without delaying others by 200 ms. */
const HEAVY_BYTES = 128 * 1024;

type WorkName = keyof HeavyWork;
type Argument<Name extends WorkName> = Parameters<HeavyWork[Name]>[0];
type Result<Name extends WorkName> = ReturnType<HeavyWork[Name]>;

let last: Promise<unknown> = Promise.resolve();

export async function readNote(bytes: Buffer): Promise<ParsedNote> {
  if (bytes.length <= HEAVY_BYTES) return parseNote(bytes);
  return { ...(await inWorker('outline', bytes)), bytes, latin1: bytes.toString('latin1') };
}

/** The names of the note, without sending its whole structure between threads. */
export function readNames(bytes: Buffer) {
  return work('names', bytes, bytes.length);
}

/** The target with the other note appended, whose links are rewritten already. */
export function joinedNotes(moved: NoteBytes, target: NoteBytes) {
  return work('join', { moved, target }, moved.bytes.length + target.bytes.length);
}

/** The note without a section, and the new note of that section. */
export function cutNote(source: NoteBytes, cut: SectionCut) {
  return work('cut', { ...source, cut }, source.bytes.length);
}

/** Both notes after a section was moved. */
export function movedSection(request: MoveRequest) {
  return work('move', request, request.source.length + request.target.length);
}

export function editedNote(bytes: Buffer, edit: NoteEdit) {
  return work('edit', { bytes, edit }, 'whole' in edit ? 0 : bytes.length);
}

/** A file as note_read shows it. */
export function viewedFile(request: ViewRequest) {
  return work('view', request, needsParsing(request.args) ? request.file.bytes.length : 0);
}

export function comparedNotes(path: string, before: Buffer, after: Buffer) {
  return work('compare', { path, before, after }, Math.max(before.length, after.length));
}

/** `size` is how many bytes are parsed. */
async function work<Name extends WorkName>(
  name: Name,
  argument: Argument<Name>,
  size: number,
): Promise<Result<Name>> {
  if (size > HEAVY_BYTES) return inWorker(name, argument);
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
  // The bytes in a result are at its top.
  if ('result' in answer) return withBuffers(answer.result as Result<Name>, 1);
  const { code, message, data } = answer.refused;
  throw new NotesError(code, message, data);
}
