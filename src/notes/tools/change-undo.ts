/** `change_undo`: reverts all files of a change. */
import { Type } from '../../mcp/schema.ts';
import { defineNotesTool, WRITES } from '../tool-kit/notes-tool.ts';
import { DRY_RUN, written } from '../tool-writes/write.ts';

const MAX_PATHS = 200;

export const changeUndo = defineNotesTool({
  name: 'change_undo',
  title: 'Undo a change',
  description:
    'Undoes everything one change did, unless a file has changed since. The undo is a change and can be undone.',
  arguments: { change_id: Type.String({ maxLength: 128 }), dry_run: DRY_RUN },
  annotations: WRITES,
  run: async ({ change_id, dry_run }, { open }) => {
    const change = await open.vault.changes.undo(change_id, dry_run === true);
    const all = [...change.files.map(({ path }) => path), ...change.gone];
    const paths = [...new Set(all)];
    return {
      ...written(open, paths[0] ?? '', change),
      paths: paths.slice(0, MAX_PATHS),
      files: paths.length,
    };
  },
});
