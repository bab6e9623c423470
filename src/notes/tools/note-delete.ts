/** `note_delete`: moves a note or an attachment to the trash. */
import { takeFile } from '../tool-kit/find-note.ts';
import { readForWrite } from '../tool-kit/note-path.ts';
import { defineNotesTool, WRITES } from '../tool-kit/notes-tool.ts';
import { CONTENT_HASH, DRY_RUN, NOTE_PATH, written } from '../tool-writes/write.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

const MAX_LINKS = 200;
const UNKNOWN_LINKS = 'the index is being built; linked_from may be incomplete';

export const noteDelete = defineNotesTool({
  name: 'note_delete',
  title: 'Delete a note',
  description:
    'Moves a note or attachment to the trash for thirty days; note_restore brings it back. linked_from lists the notes whose links are now broken.',
  arguments: { path: NOTE_PATH, content_hash: CONTENT_HASH, dry_run: DRY_RUN },
  annotations: WRITES,
  run: async ({ path: asked, content_hash, dry_run }, { open, parts }) => {
    const { path, warnings } = await takeFile(open, asked, parts.now());
    const isIndexed = open.index.state().state === 'ready';
    const dryRun = dry_run === true;
    const request = { tool: 'note_delete', scope: [path], dryRun };
    const change = await open.vault.changes.run(request, async (transaction) => {
      const file = await readForWrite(open, transaction, path, content_hash);
      const linkedFrom = await sourcesOf(open, file.path);
      return { file, linkedFrom, trashId: await transaction.remove(file.path) };
    });
    const { file, linkedFrom, trashId } = change.value;
    return {
      ...written(open, file.path, change, [...warnings, ...(isIndexed ? [] : [UNKNOWN_LINKS])]),
      trash_id: dryRun ? null : trashId,
      linked_from: linkedFrom,
    };
  },
});

/** The notes with links to the file; none if the index cannot answer. */
async function sourcesOf(open: OpenVault, path: string): Promise<string[]> {
  const query = { path, direction: 'in', limit: MAX_LINKS } as const;
  const links = await open.index.links(query).catch(() => undefined);
  return [...new Set(links?.in.map(({ from }) => from))];
}
