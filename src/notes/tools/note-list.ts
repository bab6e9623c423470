/** `note_list`: lists notes, attachments or folders. */
import { Type } from '../../mcp/schema.ts';
import { clipTexts, fittingPage } from '../tool-kit/fit.ts';
import { CURSOR, limitOf, PREFIX, readPrefix, unlessReady } from '../tool-kit/listing.ts';
import { MOMENT_ARGUMENT, readPeriod } from '../tool-kit/moments.ts';
import { NotesError } from '../tool-kit/notes-error.ts';
import { defineNotesTool, READS } from '../tool-kit/notes-tool.ts';

const DEFAULT_LIMIT = 50;

export const noteList = defineNotesTool({
  name: 'note_list',
  title: 'List notes',
  description:
    'Lists notes, attachments or folders (with the number of notes in each). sort modified: newest first.',
  arguments: {
    prefix: PREFIX,
    glob: Type.Optional(Type.String({ maxLength: 200, description: '*.md, a/**/b*' })),
    depth: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: '1: not in subfolders.' }),
    ),
    kind: Type.Optional(Type.Enum(['note', 'attachment', 'folder'])),
    sort: Type.Optional(Type.Enum(['path', 'title', 'modified', 'size', 'words'])),
    modified_after: MOMENT_ARGUMENT,
    modified_before: MOMENT_ARGUMENT,
    limit: limitOf(DEFAULT_LIMIT, 500),
    cursor: CURSOR,
  },
  annotations: READS,
  run: async ({ prefix, limit = DEFAULT_LIMIT, ...args }, { open, parts }) => {
    if (args.kind === 'folder' && (args.sort ?? 'path') !== 'path') {
      const message = 'folders are sorted by path only; omit sort';
      throw new NotesError('invalid_arguments', message);
    }
    const query = {
      ...args,
      ...(await readPrefix(open, prefix)),
      ...readPeriod(args, parts.now()),
    };
    const { items, ...rest } = await fittingPage(limit, async (count) => {
      const page = await open.index.list({ ...query, limit: count });
      const shown = page.items.map(({ kind: _, modified_ms, ...file }) => ({
        ...file,
        ...(modified_ms !== undefined && { modified: new Date(modified_ms).toISOString() }),
      }));
      return { ...page, items: clipTexts(shown) };
    });
    return { vault: open.name, items, ...rest, ...unlessReady(open) };
  },
});
