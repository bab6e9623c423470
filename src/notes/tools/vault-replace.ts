/** `vault_replace`: replaces a text, an expression or a tag in many notes, after a dry run. */
import { Type } from '../../mcp/schema.ts';
import type { AppliedChange } from '../changes/change-types.ts';
import { contentHash } from '../files/content-hash.ts';
import { parseVaultPath } from '../files/vault-path.ts';
import type { PlannedFile, ReplaceQuery } from '../index/query/replace-plan.ts';
import { diff } from '../text/diff.ts';
import { applyReplacements } from '../text/replacements.ts';
import { clip } from '../tool-kit/fit.ts';
import { limitOf, PREFIX, readPrefix } from '../tool-kit/listing.ts';
import { NotesError } from '../tool-kit/notes-error.ts';
import { defineNotesTool, WRITES } from '../tool-kit/notes-tool.ts';
import { whenIndexed } from '../tool-writes/mend-links.ts';
import {
  firstFiles,
  MAX_PLAN_BYTES,
  MAX_SHOWN,
  type PlannedNote,
  planFields,
  runPlan,
} from '../tool-writes/planned-change.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

const DEFAULT_LIMIT = 500;
const MAX_LIMIT = 5000;
const MAX_DIFF_LENGTH = 800;
const MAX_WARNINGS = 10;

interface Plan {
  readonly notes: readonly (PlannedNote & { readonly count: number })[];
  /** Of the frontmatters that the change would break. */
  readonly problems: readonly string[];
  readonly notText: readonly string[];
  readonly places: number;
  readonly hash: string;
}

export const vaultReplace = defineNotesTool({
  name: 'vault_replace',
  title: 'Replace in many notes',
  description:
    'Replaces a text, a JavaScript regular expression ($1, flags gmu) or a tag with its subtags in all notes. First make a dry run (default) and review it, then send dry_run: false with its plan_hash.',
  arguments: {
    pattern: Type.String({ minLength: 1, maxLength: 1000 }),
    replace: Type.String({ maxLength: 10_000 }),
    kind: Type.Optional(Type.Enum(['literal', 'regex', 'tag'], { default: 'literal' })),
    prefix: PREFIX,
    limit: limitOf(DEFAULT_LIMIT, MAX_LIMIT),
    dry_run: Type.Optional(Type.Boolean({ default: true })),
    plan_hash: Type.Optional(Type.String({ maxLength: 128 })),
  },
  annotations: WRITES,
  run: async ({ pattern, replace, kind = 'literal', limit = DEFAULT_LIMIT, ...args }, { open }) => {
    const { dry_run: dryRun = true, plan_hash: planHash } = args;
    const query = { pattern, replace, kind, limit, ...(await readPrefix(open, args.prefix)) };
    const request = { tool: 'vault_replace', dryRun, planHash };
    const { plan, change } = await runPlan(open, request, () => planOf(open, query));
    const { about, git } = planFields(open, plan.hash, change);
    return {
      vault: open.name,
      ...about,
      replacements: plan.places,
      notes: plan.notes.length,
      ...(await shown(open, plan, change)),
      warnings: warningsOf(open, plan),
      git,
    };
  },
});

/** Collects all pages of the plan; each page has its own time limit for the expression (ReDoS). */
async function planOf(open: OpenVault, query: ReplaceQuery): Promise<Plan> {
  await whenIndexed(open);
  const files: PlannedFile[] = [];
  const notText: string[] = [];
  let [places, made] = [0, 0];
  let cursor: string | undefined;
  do {
    const rest = { ...query, limit: query.limit - places, ...(cursor !== undefined && { cursor }) };
    const page = await open.index.replacePlan(rest);
    files.push(...page.files);
    notText.push(...page.notText);
    for (const { replacements } of page.files) {
      places += replacements.length;
      for (const { bytes } of replacements) made += bytes.length;
    }
    if (made > MAX_PLAN_BYTES) {
      const message = 'the replacements are too large for one change; narrow prefix or pattern';
      throw new NotesError('limit_exceeded', message, { max_bytes: MAX_PLAN_BYTES });
    }
    if (places > query.limit) {
      const more = query.limit < MAX_LIMIT ? `, or raise limit up to ${MAX_LIMIT}` : '';
      throw new NotesError(
        'limit_exceeded',
        `there are more than ${query.limit} places to replace; narrow prefix or pattern${more}`,
        { limit: query.limit, found_at_least: places, notes_at_least: files.length },
      );
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  const { pattern, replace, kind, prefix = '' } = query;
  const planned = files.map(({ path, hash, replacements }) => [path, hash, replacements.length]);
  const hash = contentHash(Buffer.from(JSON.stringify([kind, pattern, replace, prefix, planned])));
  const notes = files.map((file) => ({
    path: parseVaultPath(file.path),
    hash: file.hash,
    count: file.replacements.length,
    edited: (before: Buffer) => replaced(before, file),
  }));
  const problems = files.flatMap(({ path, problem }) =>
    problem === undefined ? [] : [`the frontmatter of "${path}" would be invalid: ${problem}`],
  );
  return { notes, problems, notText, places, hash };
}

/** The first notes with their diffs. A note that has changed since the plan has none. */
async function shown(open: OpenVault, { notes }: Plan, change: AppliedChange | undefined) {
  const items: object[] = [];
  for (const { path, hash, count, edited } of notes.slice(0, MAX_SHOWN)) {
    const changed = change?.files.find((file) => file.path === path);
    const before = changed?.before ?? (await open.vault.find(path))?.bytes;
    const isSame = before !== undefined && contentHash(before) === hash;
    items.push({
      path,
      replacements: count,
      ...(isSame && { diff: clip(diff(before, edited(before)), MAX_DIFF_LENGTH) }),
    });
  }
  return firstFiles(items, notes.length);
}

function warningsOf({ index }: OpenVault, { problems, notText }: Plan): string[] {
  const { skipped } = index.state();
  return [
    ...(skipped === 1 ? ['1 note is not indexed and was not searched'] : []),
    ...(skipped > 1 ? [`${skipped} notes are not indexed and were not searched`] : []),
    ...problems.slice(0, MAX_WARNINGS),
    ...notText.slice(0, MAX_WARNINGS).map((path) => `"${path}" is not UTF-8 and is left alone`),
  ];
}

function replaced(bytes: Buffer, { replacements }: PlannedFile): Buffer {
  return applyReplacements(
    bytes,
    replacements.map((one) => ({ ...one, bytes: Buffer.from(one.bytes) })),
  );
}
