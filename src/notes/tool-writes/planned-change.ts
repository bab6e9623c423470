/**
 * Changes of many notes that are reviewed first. The dry run returns the hash of its plan; the real
 * run requires it and is refused if a note has changed since or others match.
 */
import type { AppliedChange } from '../changes/change-types.ts';
import type { VaultPath } from '../files/vault-path.ts';
import { countFitting } from '../tool-kit/fit.ts';
import { invalidArguments, NotesError } from '../tool-kit/notes-error.ts';
import type { OpenVault } from '../vaults/open-vault.ts';
import { gitOf } from './write.ts';

/** A plan holds all new texts in memory. */
export const MAX_PLAN_BYTES = 64 * 1024 * 1024;
export const MAX_SHOWN = 30;

export interface PlannedNote {
  readonly path: VaultPath;
  /** Of the version that the plan was made from. */
  readonly hash: string;
  edited(before: Buffer): Buffer;
}

export interface PlanRequest {
  readonly tool: string;
  readonly dryRun: boolean;
  readonly planHash: string | undefined;
}

export async function runPlan<Plan extends { hash: string; notes: readonly PlannedNote[] }>(
  open: OpenVault,
  { tool, dryRun, planHash }: PlanRequest,
  makePlan: () => Promise<Plan>,
): Promise<{ readonly plan: Plan; readonly change?: AppliedChange }> {
  if (!dryRun && planHash === undefined) {
    throw invalidArguments(
      'plan_hash is missing; make a dry run, review it and send its plan_hash',
    );
  }
  const plan = await makePlan();
  if (dryRun) return { plan };
  if (plan.hash !== planHash) throw stale({});
  const scope = plan.notes.map(({ path }) => path);
  const change = await open.vault.changes.run({ tool, scope }, async (transaction) => {
    for (const { path, hash, edited } of plan.notes) {
      const file = await transaction.find(path);
      if (file?.contentHash !== hash) throw stale({ path });
      await transaction.write(file.path, edited(file.bytes));
    }
  });
  return { plan, change };
}

/** The fields of the result of either run. */
export function planFields(open: OpenVault, hash: string, change: AppliedChange | undefined) {
  const changeId = change?.changeId ?? null;
  return {
    about: { dry_run: change === undefined, change_id: changeId, plan_hash: hash },
    git: gitOf(open, changeId),
  };
}

/** As many of the first files as fit into a result, and how many there are besides. */
export function firstFiles(shown: readonly object[], total: number) {
  const files = shown.slice(0, countFitting(shown));
  const left = total - files.length;
  return { files, ...(left > 0 && { files_left_out: left }) };
}

function stale(data: { readonly path?: string }): NotesError {
  const message = 'notes have changed since the dry run; make another and review it';
  return new NotesError('plan_stale', message, data);
}
