/** `note_search`: full-text search, best first, one hit per note. */
import { type Static, Type } from '../../mcp/schema.ts';
import { WHERE_OPERATORS } from '../index/query/file-filter.ts';
import { SEARCH_MODES, type SearchMode } from '../index/query/match-query.ts';
import type { SearchQuery, SearchResult } from '../index/query/search-query.ts';
import { clipTexts, fittingPage } from '../tool-kit/fit.ts';
import { CURSOR, limitOf, PREFIX, readPrefix, unlessReady } from '../tool-kit/listing.ts';
import { MOMENT_ARGUMENT, readPeriod } from '../tool-kit/moments.ts';
import { NotesError } from '../tool-kit/notes-error.ts';
import { defineNotesTool, READS } from '../tool-kit/notes-tool.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

const DEFAULT_LIMIT = 10;
const CAPPED = 'more sections match than are ranked, and only the best were; add words or filters';

const WHERE = Type.Object(
  {
    key: Type.String({ maxLength: 200 }),
    op: Type.Enum(WHERE_OPERATORS),
    value: Type.Optional(
      Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean()]),
    ),
  },
  { additionalProperties: false },
);

export const noteSearch = defineNotesTool({
  name: 'note_search',
  title: 'Search notes',
  description:
    'Find notes by words, and by meaning where that is on, best first; any text is a safe query. auto: any word finds, the rarest count most ("relaxed" says where no section has all). "quoted", -word, tag:x and path:x are exact. Filter by folder, glob, tags, frontmatter (where) and time.',
  arguments: {
    query: Type.String({ minLength: 1, maxLength: 1000 }),
    mode: Type.Optional(Type.Enum([...SEARCH_MODES, 'words', 'meaning'])),
    tags: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 10 })),
    prefix: PREFIX,
    glob: Type.Optional(Type.String({ maxLength: 200, description: '*.md, a/**/b*' })),
    where: Type.Optional(Type.Array(WHERE, { maxItems: 10, description: 'All must be met.' })),
    modified_after: MOMENT_ARGUMENT,
    modified_before: MOMENT_ARGUMENT,
    limit: limitOf(DEFAULT_LIMIT, 100),
    cursor: CURSOR,
  },
  annotations: READS,
  run: async (args, { open, parts }) => {
    const {
      modified_after: _,
      modified_before: __,
      limit = DEFAULT_LIMIT,
      prefix,
      mode = 'auto',
      ...rest
    } = args;
    const query = { ...rest, ...(await readMode(open, mode, args.query)) };
    checkWhere(query.where);
    const { state, indexed } = open.index.state();
    // Nothing found in an index that holds nothing yet would read as "there is no such note".
    if (state === 'building' && indexed === 0) {
      throw new NotesError(
        'index_building',
        'the first index build is running; try again in a moment, vault_stats shows its progress',
      );
    }
    const now = parts.now();
    const filter = {
      ...query,
      ...(await readPrefix(open, prefix)),
      ...readPeriod(args, now),
    };
    let found: SearchResult = { items: [] };
    const { items, cursor } = await fittingPage(limit, async (count) => {
      found = await open.index.search({ ...filter, limit: count });
      return { ...found, items: clipTexts(found.items) };
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
    const message = 'search by meaning is off; leave out mode, or set NOTES_EMBEDDINGS';
    throw new NotesError('invalid_arguments', message);
  }
  if (mode !== 'auto' && mode !== 'meaning') return { mode };
  const vector = await meaning?.queryVector(query);
  return { mode: 'auto', meaning: vector && { ...vector, isAlone: mode === 'meaning' } };
}

/** `exists` with `false` would mean the opposite to who wrote it. */
function checkWhere(where: readonly Static<typeof WHERE>[] = []): void {
  const wrong = where.find(
    ({ op, value }) => (op === 'exists' || op === 'missing') && value !== undefined,
  );
  if (wrong === undefined) return;
  const message = `where with "${wrong.op}" takes no value; leave it out, or take another op`;
  throw new NotesError('invalid_arguments', message);
}
