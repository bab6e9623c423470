/** What the pages of the console are made from. */
import type { SignInsPageParts } from '../../console/sign-ins-page.ts';
import type { NotesParts } from '../tool-kit/notes-tool.ts';

export interface NotesConsoleParts extends SignInsPageParts {
  /** Without the calls of apps, which those of the console do not join. */
  readonly notes: NotesParts;
}
