/** A section leaves one note for another, both written in one change or neither. */
import type { OpenVault } from '../open-vault.ts';
import type { Transaction } from '../storage/change-types.ts';
import type { StoredFile } from '../storage/stored-file.ts';
import type { VaultPath } from '../storage/vault-path.ts';
import type { HeadingAddress } from '../text/find-heading.ts';
import type { MoveTarget } from '../text/move-section.ts';
import { moveToNote } from '../text/move-to-note.ts';
import { parseNote } from '../text/parse-note.ts';
import { applyReplacements } from '../text/replacements.ts';
import { notFound } from './note-path.ts';
import { unlessRefused } from './notes-error.ts';
import { reported, type WriteArguments, type Written } from './write.ts';

export interface SectionMove {
  readonly from: VaultPath;
  readonly section: HeadingAddress;
  readonly to: VaultPath;
  readonly place: MoveTarget;
}

/** What has become of the other note. */
export type MovedTo = Pick<Written, 'path' | 'content_hash' | 'diff'>;

export async function moveToOtherNote(
  open: OpenVault,
  { from, section, to, place }: SectionMove,
  args: WriteArguments,
): Promise<Written & { readonly moved_to: MovedTo }> {
  const request = {
    tool: 'note_section_edit',
    scope: [from, to],
    dryRun: args.dry_run === true,
  };
  const change = await open.vault.changes.run(request, async (transaction) => {
    const source = await found(open, transaction, from, args.content_hash);
    const target = await found(open, transaction, to);
    const moved = moveToNote(parseNote(source.bytes), section, parseNote(target.bytes), place);
    const { taken, put } = unlessRefused(moved);
    await transaction.write(source.path, applyReplacements(source.bytes, taken));
    await transaction.write(target.path, applyReplacements(target.bytes, put));
    return { source: source.path, target: target.path };
  });
  const { source, target } = change.value;
  const there = await reported(open, target, change);
  const here = await reported(open, source, change, there.warnings);
  const { path, content_hash, diff } = there;
  return { ...here, moved_to: { path, content_hash, diff } };
}

async function found(
  open: OpenVault,
  transaction: Transaction,
  path: VaultPath,
  hash?: string,
): Promise<StoredFile> {
  if ((await transaction.find(path)) === undefined) throw await notFound(open, path);
  return transaction.read(path, hash);
}
