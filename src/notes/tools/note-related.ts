/** `note_related`: notes related to a note or a text. */
import { Type } from '../../mcp/schema.ts';
import { findNote } from '../tool-kit/find-note.ts';
import { clippedPage } from '../tool-kit/fit.ts';
import { limitOf, unlessReady } from '../tool-kit/listing.ts';
import { invalidArguments } from '../tool-kit/notes-error.ts';
import { defineNotesTool, READS } from '../tool-kit/notes-tool.ts';
import { notIndexedYet } from './note-links.ts';

const DEFAULT_LIMIT = 10;
/** As much as of a section. */
const MAX_QUERY_LENGTH = 1500;

export const noteRelated = defineNotesTool({
  name: 'note_related',
  title: 'Related notes',
  description:
    'Notes near a note (by links, shared links, tags, words) or near a text (by words), and by meaning where that is on; each with the reasons.',
  arguments: {
    path: Type.Optional(
      Type.String({ maxLength: 1024, description: 'Path, name, alias or title.' }),
    ),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 20_000 })),
    limit: limitOf(DEFAULT_LIMIT, 50),
  },
  annotations: READS,
  run: async ({ path: asked, text, limit = DEFAULT_LIMIT }, { open, parts }) => {
    if ((asked === undefined) === (text === undefined)) {
      throw invalidArguments('give either path or text');
    }
    const near =
      asked === undefined
        ? {
            text: text!,
            meaning: await open.meaning?.queryVector(text!.slice(0, MAX_QUERY_LENGTH)),
          }
        : { path: (await findNote(open, asked, parts.now())).path };
    const { items } = await clippedPage(limit, async (count) => ({
      items: await open.index.related({ ...near, limit: count }).catch(notIndexedYet),
    }));
    return {
      vault: open.name,
      ...('path' in near && { path: near.path }),
      related: items,
      ...unlessReady(open),
    };
  },
});
