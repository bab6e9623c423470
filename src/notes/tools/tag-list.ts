/** `tag_list`: tags of a vault by number of notes. */
import { Type } from '../../mcp/schema.ts';
import { clippedPage } from '../tool-kit/fit.ts';
import { CURSOR, limitOf, unlessReady } from '../tool-kit/listing.ts';
import { defineNotesTool, READS } from '../tool-kit/notes-tool.ts';

const DEFAULT_LIMIT = 100;

export const tagList = defineNotesTool({
  name: 'tag_list',
  title: 'List tags',
  description: 'Tags and how many notes have each, the most used first.',
  arguments: {
    prefix: Type.Optional(
      Type.String({ maxLength: 200, description: 'Tags that begin so, such as project/.' }),
    ),
    limit: limitOf(DEFAULT_LIMIT, 500),
    cursor: CURSOR,
  },
  annotations: READS,
  run: async ({ limit = DEFAULT_LIMIT, ...query }, { open }) => {
    const { items, ...rest } = await clippedPage(limit, (count) =>
      open.index.tags({ ...query, limit: count }),
    );
    return { vault: open.name, tags: items, ...rest, ...unlessReady(open) };
  },
});
