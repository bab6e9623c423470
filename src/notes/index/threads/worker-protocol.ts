/** The messages between the main thread and the index threads. */
import { IndexError, type IndexErrorCode } from '../store/index-error.ts';
import { isDamage } from '../store/schema.ts';

/** The root of a vault and the file of its index. */
export interface IndexPlace {
  readonly root: string;
  readonly file: string;
}

export interface WorkerRequest {
  readonly id: number;
  readonly place: IndexPlace;
  readonly operation: string;
  readonly argument: unknown;
  /** Whether to send `began` when the work begins, which may be after the start of the thread. */
  readonly announce: boolean;
}

export interface WorkerFailure {
  readonly code: IndexErrorCode;
  readonly message: string;
  /** For the log. */
  readonly detail: string;
  /** The index file is damaged and must be rebuilt. */
  readonly damaged: boolean;
}

export type WorkerMessage =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: WorkerFailure }
  | { readonly began: number }
  | { readonly progressOf: string; readonly indexed: number; readonly onDisk: number };

/** Messages for SQLite result codes: read-only, I/O error, full, cannot open. */
const REASONS: Readonly<Record<number, string>> = {
  8: 'the index is read-only; give its directory to the user the server runs as',
  10: 'the disk failed; see the server log',
  13: 'the disk is full; free some space and try again',
  14: 'the index cannot be opened; give its directory to the user the server runs as',
};

export function failureOf(error: unknown): WorkerFailure {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (error instanceof IndexError) {
    return { code: error.code, message: error.message, detail, damaged: false };
  }
  if (isDamage(error)) {
    const message = 'the index is damaged and is being rebuilt; try again in a moment';
    return { code: 'index_building', message, detail, damaged: true };
  }
  const code = Number((error as { errcode?: unknown } | null)?.errcode ?? 0) & 0xff;
  const message = REASONS[code] ?? 'the index failed; see the server log';
  return { code: 'storage_error', message, detail, damaged: false };
}
