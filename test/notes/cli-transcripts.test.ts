/** What the commands of the notes server print, as transcripts. */
import { describe } from 'node:test';
import { testTranscripts } from '../support/docs/transcripts.ts';
import { NOTES_ENTRY } from '../support/notes/notes.ts';

describe('transcripts', { concurrency: 2 }, () => {
  testTranscripts(new URL('./transcripts/', import.meta.url).pathname, 'notes', NOTES_ENTRY);
});
