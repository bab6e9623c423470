/** The codes that the text of a note alone can give rise to. */
export type EditErrorCode =
  | 'text_not_found'
  | 'text_not_unique'
  | 'heading_ambiguous'
  | 'heading_not_found'
  | 'frontmatter_invalid'
  | 'task_changed'
  | 'regex_invalid'
  | 'invalid_arguments';

/**
 * Why an edit was not made. It is returned, not thrown: nothing has been written, and the tool
 * hands code, message and data to the caller as they are.
 */
export class EditError {
  readonly code: EditErrorCode;
  /** Lower case, without the code: what happened; what to do next. */
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: EditErrorCode, message: string, data: Readonly<Record<string, unknown>> = {}) {
    this.code = code;
    this.message = message;
    this.data = data;
  }
}
