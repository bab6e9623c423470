/** `note_edit`: replaces exact texts in a note, all or none. */
import { Type } from '../../mcp/schema.ts';
import { defineNotesTool, WRITES } from '../tool-kit/notes-tool.ts';
import { CONTENT_HASH, DRY_RUN, editNote, NOTE_PATH } from '../tool-writes/write.ts';

const MAX_EDITS = 100;

export const noteEdit = defineNotesTool({
  name: 'note_edit',
  title: 'Edit text in a note',
  description:
    'Replaces exact texts in order, all or none. Each must occur once, or expected_count times, or any number with replace_all.',
  arguments: {
    path: NOTE_PATH,
    edits: Type.Array(
      Type.Object(
        {
          old_string: Type.String({ minLength: 1 }),
          new_string: Type.String(),
          replace_all: Type.Optional(Type.Boolean()),
          expected_count: Type.Optional(Type.Integer({ minimum: 1 })),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: MAX_EDITS },
    ),
    content_hash: CONTENT_HASH,
    dry_run: DRY_RUN,
  },
  annotations: WRITES,
  run: ({ edits, ...args }, call) => editNote(call, 'note_edit', args, { texts: edits }),
});
