/** `note_list`: lists notes, attachments or folders. */
import { Type } from '../../mcp/schema.ts';
import type { ListedFile } from '../index/query/list-files.ts';
import { FILTERS, readFilters } from '../tool-kit/filters.ts';
import { clipTexts, fittingPage } from '../tool-kit/fit.ts';
import { CURSOR, limitOf, unlessReady } from '../tool-kit/listing.ts';
import { invalidArguments } from '../tool-kit/notes-error.ts';
import { defineNotesTool, READS } from '../tool-kit/notes-tool.ts';

const DEFAULT_LIMIT = 50;

export const noteList = defineNotesTool({
  name: 'note_list',
  title: 'List notes',
  description:
    'Lists notes, attachments or folders (with the number of notes in each), filtered as in note_search; with columns, as a table. sort modified: newest first.',
  arguments: {
    ...FILTERS,
    depth: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: '1: not in subfolders.' }),
    ),
    kind: Type.Optional(Type.Enum(['note', 'attachment', 'folder'])),
    sort: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'path, title, modified, size, words or a property; - reverses.',
      }),
    ),
    columns: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 20,
        description: 'Properties, tags, title, modified, words.',
      }),
    ),
    limit: limitOf(DEFAULT_LIMIT, 500),
    cursor: CURSOR,
  },
  annotations: READS,
  run: async ({ limit = DEFAULT_LIMIT, ...args }, { open, parts }) => {
    if (args.kind === 'folder' && (args.sort ?? 'path') !== 'path') {
      throw invalidArguments('folders are sorted by path only; omit sort');
    }
    const { kind, depth, sort, columns, cursor, ...filters } = args;
    const query = {
      ...(kind !== undefined && { kind }),
      ...(depth !== undefined && { depth }),
      ...(sort !== undefined && { sort }),
      ...(columns !== undefined && { columns }),
      ...(cursor !== undefined && { cursor }),
      ...(await readFilters(open, filters, parts.now())),
    };
    const { items, ...rest } = await fittingPage<unknown>(limit, async (count) => {
      const page = await open.index.list({ ...query, limit: count });
      const shown = page.items.map(({ kind: _, modified_ms, ...file }) => ({
        ...file,
        ...(modified_ms !== undefined && { modified: new Date(modified_ms).toISOString() }),
      }));
      return { ...page, items: columns ? shown.map((one) => row(one, columns)) : clipTexts(shown) };
    });
    const listed = columns ? { columns: ['path', ...columns], rows: items } : { items };
    return { vault: open.name, ...listed, ...rest, ...unlessReady(open) };
  },
});

/** The path and the cells. Fields of the index take precedence over properties of that name. */
function row({ values = [], path, ...file }: Omit<ListedFile, 'kind'>, columns: readonly string[]) {
  const own: Readonly<Record<string, unknown>> = file;
  const cells = columns.map((column, at) => own[column] ?? values[at] ?? null);
  return [path, ...clipTexts(cells)];
}
