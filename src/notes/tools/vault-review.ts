/** `vault_review`: problems in a vault, with the call that repairs each if there is one. */
import { Type } from '../../mcp/schema.ts';
import { readHabits, type VaultHabits } from '../habits/vault-habits.ts';
import type { KeptFolders } from '../index/review/kept-notes.ts';
import { REVIEW_KINDS, type ReviewItem } from '../index/review/review-item.ts';
import { clipTexts, fittingPage, jsonLength } from '../tool-kit/fit.ts';
import { CURSOR, limitOf, PREFIX, readPrefix, unlessReady } from '../tool-kit/listing.ts';
import { readSpan } from '../tool-kit/moments.ts';
import { defineNotesTool, type NotesParts, READS } from '../tool-kit/notes-tool.ts';

const DEFAULT_LIMIT = 15;
const MAX_FIX_LENGTH = 3000;

export const vaultReview = defineNotesTool({
  name: 'vault_review',
  title: 'Review a vault',
  description:
    'Problems in the vault, a share of each kind. "fix" is a tool call that helps; with "effect" it removes or rewrites text and is a dry run: ask before sending dry_run: false. After a repair start again without the cursor.',
  arguments: {
    only: Type.Optional(Type.Array(Type.Enum(REVIEW_KINDS), { minItems: 1, maxItems: 12 })),
    stale_after: Type.Optional(Type.String({ maxLength: 6, default: '365d' })),
    prefix: PREFIX,
    limit: limitOf(DEFAULT_LIMIT, 100),
    cursor: CURSOR,
  },
  annotations: READS,
  run: async ({ prefix, stale_after, limit = DEFAULT_LIMIT, ...args }, { open, parts }) => {
    const habits = await readHabits(open.vault);
    const query = {
      ...args,
      ...(await readPrefix(open, prefix)),
      ...(stale_after !== undefined && { staleAfterMs: readSpan(stale_after) }),
      nowMs: parts.now().getTime(),
      linkStyle: habits.links,
      kept: keptFolders(habits),
    };
    const { items, ...rest } = await fittingPage(limit, async (count) => {
      const page = await open.index.review({ ...query, limit: count });
      return { ...page, items: page.items.map((item) => clipItem(item, parts)) };
    });
    return { vault: open.name, items, ...rest, ...unlessReady(open) };
  },
});

/** A fix is only useful whole and where its tool is offered; any other is omitted. */
function clipItem({ fix, ...item }: ReviewItem, { offered }: NotesParts): ReviewItem {
  const isUseful =
    fix !== undefined && offered?.has(fix.tool) !== false && jsonLength(fix) <= MAX_FIX_LENGTH;
  return { ...clipTexts(item), ...(isUseful && { fix }) };
}

function keptFolders({ daily, templates }: VaultHabits): KeptFolders {
  return {
    templates: [templates.folder, daily?.template].filter((place) => place !== undefined),
    journals: daily?.folder ? [daily.folder] : [],
  };
}
