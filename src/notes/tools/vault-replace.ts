/**
 * `vault_replace`: replaces a text, an expression or a tag in many notes. The dry run (default)
 * returns the hash of its plan; the real run requires that hash and is refused if a note of the plan
 * has changed, so only reviewed changes are made.
 */
import { Type } from '../../mcp/schema.ts';
import type { AppliedChange } from '../changes/change-types.ts';
import { contentHash } from '../files/content-hash.ts';
import { parseVaultPath } from '../files/vault-path.ts';
import type { PlannedFile, ReplaceQuery } from '../index/query/replace-plan.ts';
import { diff } from '../text/diff.ts';
import { applyReplacements } from '../text/replacements.ts';
import { clip, countFitting } from '../tool-kit/fit.ts';
import { limitOf, PREFIX, readPrefix } from '../tool-kit/listing.ts';
import { NotesError } from '../tool-kit/notes-error.ts';
import { defineNotesTool, WRITES } from '../tool-kit/notes-tool.ts';
import { whenIndexed } from '../tool-writes/mend-links.ts';
import { gitOf } from '../tool-writes/write.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

const DEFAULT_LIMIT = 500;
const MAX_LIMIT = 5000;
const MAX_SHOWN = 30;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_DIFF_LENGTH = 800;
const MAX_WARNINGS = 10;

interface Plan {
  readonly files: readonly PlannedFile[];
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
    const { dry_run = true, plan_hash } = args;
    if (!dry_run && plan_hash === undefined) {
      const message = 'plan_hash is missing; make a dry run, review it and send its plan_hash';
      throw new NotesError('invalid_arguments', message);
    }
    await whenIndexed(open);
    const query = { pattern, replace, kind, limit, ...(await readPrefix(open, args.prefix)) };
    const plan = await planOf(open, query);
    if (!dry_run && plan.hash !== plan_hash) throw stale();
    const change = dry_run ? undefined : await carryOut(open, plan);
    return {
      vault: open.name,
      dry_run,
      change_id: change?.changeId ?? null,
      plan_hash: plan.hash,
      replacements: plan.places,
      notes: plan.files.length,
      ...(await shown(open, plan, change)),
      warnings: warningsOf(open, plan),
      git: gitOf(open, change?.changeId ?? null),
    };
  },
});

/** Collects all pages of the plan; each page has its own time limit for the expression (ReDoS). */
async function planOf({ index }: OpenVault, query: ReplaceQuery): Promise<Plan> {
  const files: PlannedFile[] = [];
  const notText: string[] = [];
  let [places, made] = [0, 0];
  let cursor: string | undefined;
  do {
    const rest = { ...query, limit: query.limit - places, ...(cursor !== undefined && { cursor }) };
    const page = await index.replacePlan(rest);
    files.push(...page.files);
    notText.push(...page.notText);
    for (const { replacements } of page.files) {
      places += replacements.length;
      for (const { bytes } of replacements) made += bytes.length;
    }
    if (made > MAX_BYTES) {
      const message = 'the replacements are too large for one change; narrow prefix or pattern';
      throw new NotesError('limit_exceeded', message, { max_bytes: MAX_BYTES });
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
  return { files, notText, places, hash };
}

async function carryOut(open: OpenVault, { files }: Plan): Promise<AppliedChange> {
  const scope = files.map(({ path }) => parseVaultPath(path));
  return open.vault.changes.run({ tool: 'vault_replace', scope }, async (transaction) => {
    for (const [at, planned] of files.entries()) {
      const file = await transaction.find(scope[at]!);
      if (file?.contentHash !== planned.hash) throw stale(planned.path);
      await transaction.write(file.path, replaced(file.bytes, planned));
    }
  });
}

/** The first notes with their diffs, as many as fit into a result. */
async function shown(open: OpenVault, { files }: Plan, change: AppliedChange | undefined) {
  const items: object[] = [];
  for (const planned of files.slice(0, MAX_SHOWN)) {
    const { path, replacements } = planned;
    const changed = change?.files.find((file) => file.path === path);
    const before = changed?.before ?? (await open.vault.find(parseVaultPath(path)))?.bytes;
    const isSame = before !== undefined && contentHash(before) === planned.hash;
    items.push({
      path,
      replacements: replacements.length,
      ...(isSame && { diff: clip(diff(before, replaced(before, planned)), MAX_DIFF_LENGTH) }),
    });
  }
  const fitting = items.slice(0, countFitting(items));
  const left = files.length - fitting.length;
  return { files: fitting, ...(left > 0 && { files_left_out: left }) };
}

function warningsOf({ index }: OpenVault, { files, notText }: Plan): string[] {
  const { skipped } = index.state();
  const broken = files.flatMap(({ path, problem }) =>
    problem === undefined ? [] : [`the frontmatter of "${path}" would be invalid: ${problem}`],
  );
  return [
    ...(skipped === 1 ? ['1 note is not indexed and was not searched'] : []),
    ...(skipped > 1 ? [`${skipped} notes are not indexed and were not searched`] : []),
    ...broken.slice(0, MAX_WARNINGS),
    ...notText.slice(0, MAX_WARNINGS).map((path) => `"${path}" is not UTF-8 and is left alone`),
  ];
}

function replaced(bytes: Buffer, { replacements }: PlannedFile): Buffer {
  return applyReplacements(
    bytes,
    replacements.map((one) => ({ ...one, bytes: Buffer.from(one.bytes) })),
  );
}

function stale(path?: string): NotesError {
  return new NotesError(
    'plan_stale',
    'notes have changed since the dry run; make another and review it',
    path === undefined ? {} : { path },
  );
}
