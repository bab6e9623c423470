/**
 * The refusals of the notes tools: every code, and the result sent to the client. Its first block is
 * for a model, its second the same as JSON for programs.
 */
import type { ToolResult } from '../../mcp/tool.ts';
import { StorageError, type StorageErrorCode } from '../files/storage-error.ts';
import { IndexError, type IndexErrorCode } from '../index/store/index-error.ts';
import { EditError, type EditErrorCode } from '../text/edit-error.ts';
import { clip, fitData } from './fit.ts';

export type NotesErrorCode =
  | StorageErrorCode
  | IndexErrorCode
  | EditErrorCode
  | 'plan_stale'
  | 'limit_exceeded'
  | 'type_refused';

/** A refusal may quote a note, such as a heading of a megabyte. */
const MAX_MESSAGE_LENGTH = 1000;
const MAX_DATA_CHARS = 14_000;

export class NotesError extends Error {
  readonly code: NotesErrorCode;
  readonly data: Readonly<Record<string, unknown>>;

  /** The message is lower case, without the code: what happened; what to do next. */
  constructor(
    code: NotesErrorCode,
    message: string,
    data: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'NotesError';
    this.code = code;
    this.data = data;
  }
}

export function invalidArguments(
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): NotesError {
  return new NotesError('invalid_arguments', message, data);
}

/** Converts the coded errors of the layers below; undefined for an unexpected error. */
export function asNotesError(error: unknown): NotesError | undefined {
  if (error instanceof NotesError) return error;
  if (error instanceof StorageError || error instanceof EditError) {
    return new NotesError(error.code, error.message, error.data, error.cause);
  }
  if (error instanceof IndexError) {
    return new NotesError(error.code, error.message, {}, error.cause);
  }
  return undefined;
}

export function refusalResult({ code, message: whole, data: all }: NotesError): ToolResult {
  const message = clip(whole, MAX_MESSAGE_LENGTH);
  const data = fitData(all, MAX_DATA_CHARS);
  return {
    content: [
      { type: 'text', text: `${code}: ${message}` },
      { type: 'text', text: JSON.stringify({ code, message, data }) },
    ],
    isError: true,
  };
}
