/** The result of an edit, or the `EditError` that it throws. */
import { EditError } from '../../../src/notes/text/edit-error.ts';

export function attempt<Arguments extends unknown[], Result>(
  edit: (...args: Arguments) => Result,
  ...args: Arguments
): Result | EditError {
  try {
    return edit(...args);
  } catch (error) {
    if (error instanceof EditError) return error;
    throw error;
  }
}
