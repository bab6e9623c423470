/** The codes of refusals that follow from the text of a note alone. */
export type EditErrorCode =
  | 'text_not_found'
  | 'text_not_unique'
  | 'heading_ambiguous'
  | 'heading_not_found'
  | 'frontmatter_invalid'
  | 'task_changed'
  | 'regex_invalid'
  | 'invalid_arguments';

/** Refuses an edit before anything is written; the tool passes code, message and data on as they are. */
export class EditError extends Error {
  readonly code: EditErrorCode;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: EditErrorCode, message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'EditError';
    this.code = code;
    this.data = data;
  }
}

export function invalidArguments(
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): EditError {
  return new EditError('invalid_arguments', message, data);
}
