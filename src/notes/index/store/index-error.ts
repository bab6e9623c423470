/** The codes that a question to the index can end with. */
export type IndexErrorCode =
  | 'index_building'
  | 'regex_invalid'
  | 'regex_timeout'
  | 'note_not_found'
  | 'invalid_arguments'
  | 'storage_error';

/** The message is lower case and says what happened and what to do next. */
export class IndexError extends Error {
  readonly code: IndexErrorCode;

  constructor(code: IndexErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'IndexError';
    this.code = code;
  }
}
