export type IndexErrorCode =
  | 'index_building'
  | 'regex_invalid'
  | 'regex_timeout'
  | 'note_not_found'
  | 'invalid_arguments'
  | 'storage_error';

/** A failed index operation; the message may be shown to a caller. */
export class IndexError extends Error {
  readonly code: IndexErrorCode;

  constructor(code: IndexErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'IndexError';
    this.code = code;
  }
}
