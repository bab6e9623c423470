/**
 * Prevents mixed encodings: text added to a note that is not UTF-8 would make it unreadable for
 * every program. No tool edits such a note; moving, deleting and restoring it keep its bytes.
 */
import { isUtf8 } from 'node:buffer';
import { StorageError } from './storage-error.ts';

/** Why a note cannot be read as text at all; undefined if it can, at least in part. */
export function binaryReason(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return 'it is UTF-16, not UTF-8';
  }
  return bytes.includes(0) ? 'it contains NUL bytes, as UTF-16 and binary files do' : undefined;
}

/** Why no tool edits the note; undefined if it is UTF-8. */
export function encodingProblem(bytes: Uint8Array): string | undefined {
  return binaryReason(bytes) ?? (isUtf8(bytes) ? undefined : 'it is not UTF-8');
}

/** Throws `not_utf8`. */
export function checkEncoding(path: string, bytes: Uint8Array): void {
  const problem = encodingProblem(bytes);
  if (problem === undefined) return;
  const message = `"${path}" cannot be edited: ${problem}; convert it to UTF-8 in an editor`;
  throw new StorageError('not_utf8', message, { path });
}
