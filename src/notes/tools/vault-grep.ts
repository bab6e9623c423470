/** `vault_grep`: lines that match a text or a regular expression. */
import { Type } from '../../mcp/schema.ts';
import type { GrepMatch } from '../index/query/grep.ts';
import { fittingPage, jsonLength, PAGE_CHARS } from '../tool-kit/fit.ts';
import { CURSOR, limitOf, PREFIX, readPrefix, unlessReady } from '../tool-kit/listing.ts';
import { defineNotesTool, READS } from '../tool-kit/notes-tool.ts';

const DEFAULT_LIMIT = 30;

export const vaultGrep = defineNotesTool({
  name: 'vault_grep',
  title: 'Grep',
  description:
    'Every line that contains a text or matches a regular expression (JavaScript, line by line). A page may end early with a cursor: continue with it.',
  arguments: {
    pattern: Type.String({ minLength: 1, maxLength: 1000 }),
    regex: Type.Optional(Type.Boolean()),
    case_sensitive: Type.Optional(Type.Boolean()),
    prefix: PREFIX,
    context: Type.Optional(Type.Integer({ minimum: 0, maximum: 10, description: 'Lines around.' })),
    limit: limitOf(DEFAULT_LIMIT, 200),
    cursor: CURSOR,
  },
  annotations: READS,
  run: async ({ prefix, case_sensitive, limit = DEFAULT_LIMIT, ...args }, { open }) => {
    const query = {
      ...args,
      ...(case_sensitive !== undefined && { caseSensitive: case_sensitive }),
      ...(await readPrefix(open, prefix)),
    };
    const { items, ...rest } = await fittingPage(limit, async (count) => {
      const { matches, cursor } = await open.index.grep({ ...query, limit: count });
      return { items: matches.map(withinPage), ...(cursor !== undefined && { cursor }) };
    });
    return { vault: open.name, matches: items, ...rest, ...unlessReady(open) };
  },
});

/** Drops the context lines of a match that would fill a page. */
function withinPage(match: GrepMatch): GrepMatch {
  if (jsonLength(match) < PAGE_CHARS) return match;
  const { before: _, after: __, ...line } = match;
  return line;
}
