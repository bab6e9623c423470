/** `note_search`: full-text search, best first, one hit per note. */
import { Type } from '../../mcp/schema.ts';
import { SEARCH_MODES, type SearchMode } from '../index/query/match-query.ts';
import type { SearchQuery, SearchResult } from '../index/query/search-query.ts';
import { DESCRIBED_FILTERS, readFilters } from '../tool-kit/filters.ts';
import { clippedPage } from '../tool-kit/fit.ts';
import { CURSOR, limitOf, unlessReady } from '../tool-kit/listing.ts';
import { invalidArguments, NotesError } from '../tool-kit/notes-error.ts';
import { defineNotesTool, READS } from '../tool-kit/notes-tool.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

const DEFAULT_LIMIT = 10;
const CAPPED = 'more sections match than are ranked, and only the best were; add words or filters';
export const noteSearch = defineNotesTool({
  name: 'note_search',
  title: 'Search notes',
  description:
    'Find notes by words, and by meaning where that is on, best first; any text is a safe query. auto: any word finds, the rarest count most ("relaxed" says where no section has all). "quoted", -word, tag:x and path:x are exact. Filter by folder, glob, tags, frontmatter (where) and time.',
  arguments: {
    query: Type.Optional(Type.String({ maxLength: 1000, description: 'Absent: newest first.' })),
    mode: Type.Optional(Type.Enum([...SEARCH_MODES, 'words', 'meaning'])),
    ...DESCRIBED_FILTERS,
    limit: limitOf(DEFAULT_LIMIT, 100),
    cursor: CURSOR,
  },
  annotations: READS,
  run: async (args, { open, parts }) => {
    const { query = '', mode = 'auto', limit = DEFAULT_LIMIT, cursor: from, ...filters } = args;
    const isWordless = query.trim() === '';
    if (isWordless && Object.keys(filters).length === 0) {
      throw invalidArguments('give a query, or a filter such as tags or where');
    }
    const { state, indexed } = open.index.state();
    // Nothing found in an index that holds nothing yet would read as "there is no such note".
    if (state === 'building' && indexed === 0) {
      throw new NotesError(
        'index_building',
        'the first index build is running; try again in a moment, vault_stats shows its progress',
      );
    }
    const filter = {
      query,
      ...(isWordless ? { mode: 'auto' as const } : await readMode(open, mode, query)),
      ...(from !== undefined && { cursor: from }),
      ...(await readFilters(open, filters, parts.now())),
    };
    let found: SearchResult = { items: [] };
    const { items, cursor } = await clippedPage(limit, async (count) => {
      found = await open.index.search({ ...filter, limit: count });
      return found;
    });
    const { relaxed, capped } = found;
    return {
      vault: open.name,
      hits: items,
      ...(cursor !== undefined && { cursor }),
      ...(cursor === undefined && capped && { capped: CAPPED }),
      ...(relaxed !== undefined && { relaxed }),
      index_state: state,
      ...unlessReady(open),
      ...(open.meaning && { semantic: open.meaning.state() }),
    };
  },
});

/** Where there is no vector, words alone are searched: `semantic` in the answer says why. */
async function readMode(
  { meaning }: OpenVault,
  mode: SearchMode | 'words' | 'meaning',
  query: string,
): Promise<Pick<SearchQuery, 'mode' | 'meaning'>> {
  if (mode === 'words') return { mode: 'auto' };
  if (mode === 'meaning' && meaning === undefined) {
    throw invalidArguments('search by meaning is off; leave out mode, or set NOTES_EMBEDDINGS');
  }
  if (mode !== 'auto' && mode !== 'meaning') return { mode };
  const vector = await meaning?.queryVector(query);
  return { mode: 'auto', meaning: vector && { ...vector, isAlone: mode === 'meaning' } };
}
