/** `task_toggle`: ticks or clears one task. */
import { Type } from '../../mcp/schema.ts';
import { defineNotesTool, WRITES } from '../tool-kit/notes-tool.ts';
import { CONTENT_HASH, DRY_RUN, editNote, NOTE_PATH } from '../tool-writes/write.ts';

export const taskToggle = defineNotesTool({
  name: 'task_toggle',
  title: 'Tick a task',
  description: 'Ticks or clears the task in a line, or the one with this text.',
  arguments: {
    path: NOTE_PATH,
    line: Type.Optional(Type.Integer({ minimum: 1 })),
    text: Type.Optional(Type.String()),
    expected_text: Type.Optional(Type.String({ description: 'What the task must say.' })),
    done: Type.Optional(Type.Boolean({ description: 'Toggles when absent.' })),
    state: Type.Optional(Type.String({ description: 'Instead of done: - or / or DOING.' })),
    content_hash: CONTENT_HASH,
    dry_run: DRY_RUN,
  },
  annotations: WRITES,
  run: (args, call) => editNote(call, 'task_toggle', args, { task: args }),
});
