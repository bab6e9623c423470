/** `note_write`: replaces a whole note if its content hash still matches. */
import { Type } from '../../mcp/schema.ts';
import { defineNotesTool, WRITES } from '../tool-kit/notes-tool.ts';
import { DRY_RUN, editNote, NOTE_PATH } from '../tool-writes/write.ts';

export const noteWrite = defineNotesTool({
  name: 'note_write',
  title: 'Rewrite a note',
  description:
    'Replaces the whole text of a note. Prefer note_edit or note_section_edit for a part.',
  arguments: {
    path: NOTE_PATH,
    content: Type.String(),
    content_hash: Type.String({ description: 'Of the version you read.' }),
    dry_run: DRY_RUN,
  },
  annotations: WRITES,
  run: ({ content, ...args }, call) => editNote(call, 'note_write', args, { whole: content }),
});
