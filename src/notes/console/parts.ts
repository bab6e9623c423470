/** What the pages of the console are made from. */
import type { SignInsPageParts } from '../../console/sign-ins-page.ts';
import type { NotesParts } from '../tool-kit/notes-tool.ts';

export interface NotesConsoleParts extends SignInsPageParts {
  /** Without `recent`, so that calls of the console are not listed among those of apps. */
  readonly notes: NotesParts;
}
