/** `note_links`: outgoing, incoming and broken links of a note. */
import { Type } from '../../mcp/schema.ts';
import { readCursor } from '../index/query/cursor.ts';
import { IndexError } from '../index/store/index-error.ts';
import { findNote } from '../tool-kit/find-note.ts';
import { clippedPage, offsetPage } from '../tool-kit/fit.ts';
import { CURSOR, limitOf, unlessReady } from '../tool-kit/listing.ts';
import { invalidArguments, NotesError } from '../tool-kit/notes-error.ts';
import { defineNotesTool, READS } from '../tool-kit/notes-tool.ts';

const DEFAULT_LIMIT = 100;
/** Every page reads the edges before it again, so the cost grows with the offset. */
const MAX_OFFSET = 50_000;
const KINDS = ['in', 'out', 'broken'] as const;

export const noteLinks = defineNotesTool({
  name: 'note_links',
  title: 'Links of a note',
  description:
    'Links from other notes (in), to other files (out) and to nothing (broken), each with its line. depth 2 and 3 follow the links further.',
  arguments: {
    path: Type.String({ maxLength: 1024, description: 'Path, name, alias or title.' }),
    direction: Type.Optional(Type.Enum(['in', 'out', 'both'])),
    depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 3 })),
    limit: limitOf(DEFAULT_LIMIT, 200),
    cursor: CURSOR,
  },
  annotations: READS,
  run: async ({ path: asked, limit = DEFAULT_LIMIT, cursor, ...query }, { open, parts }) => {
    const [offset = 0] = readCursor(cursor);
    if (offset > MAX_OFFSET) {
      throw invalidArguments(`a cursor goes to ${MAX_OFFSET} links at most; use a smaller depth`);
    }
    const { path } = await findNote(open, asked, parts.now());
    // One edge more than the page shows whether there is a next page.
    const most = offset + limit + 1;
    const all = await open.index.links({ path, ...query, limit: most }).catch(notIndexedYet);
    const edges = KINDS.flatMap((kind) => all[kind].map((edge) => ({ kind, edge })));
    const { items, ...rest } = await clippedPage(limit, async (count) =>
      offsetPage(edges, offset, count),
    );
    const shown = (wanted: string) =>
      items.filter(({ kind }) => kind === wanted).map(({ edge }) => edge);
    return {
      vault: open.name,
      path,
      in: shown('in'),
      out: shown('out'),
      broken: shown('broken'),
      ...rest,
      ...unlessReady(open),
    };
  },
});

/** For a query of a note on disk: one that is not in the index is not indexed yet. */
export function notIndexedYet(error: unknown): never {
  if (!(error instanceof IndexError) || error.code !== 'note_not_found') throw error;
  throw new NotesError('index_building', 'the note is not indexed yet; try again in a moment');
}
