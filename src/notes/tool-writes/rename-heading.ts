/** Renames a heading and updates the links to it in one change. */

import type { SectionEdit } from '../edit/edit-section.ts';
import { editedNote, readNote } from '../large-notes/heavy-notes.ts';
import { HeadingNames, isSameText, renamedAnchor } from '../markdown/anchor.ts';
import { findHeading } from '../markdown/find-heading.ts';
import type { Taken } from '../tool-kit/find-note.ts';
import { LinkTargets, namesAt } from '../tool-kit/link-targets.ts';
import { readText } from '../tool-kit/note-path.ts';
import type { OpenVault } from '../vaults/open-vault.ts';
import { type LinkEdits, LinkMending, notesConcerned, whenIndexed } from './mend-links.ts';
import { reported, type WriteArguments, type Written } from './write.ts';

export async function renameHeading(
  open: OpenVault,
  { path, warnings }: Taken,
  edit: SectionEdit,
  args: WriteArguments,
): Promise<Written & { readonly link_edits: LinkEdits }> {
  await whenIndexed(open);
  const request = {
    tool: 'note_section_edit',
    scope: 'vault' as const,
    dryRun: args.dry_run === true,
  };
  const change = await open.vault.changes.run(request, async (transaction) => {
    const file = await readText(open, transaction, path, args.content_hash);
    const note = await readNote(file.bytes);
    const bytes = await editedNote(file.bytes, { section: edit });
    const heading = findHeading(note, edit);
    const renamed = await readNote(bytes);
    const { text } = renamed.headings[note.headings.indexOf(heading)]!;
    const isTwin = note.headings.some(
      (one) => one !== heading && isSameText(one.text, heading.text),
    );
    const headings = new HeadingNames(note.headings);

    const targets = new LinkTargets(open.index);
    const names = namesAt(file.path, renamed);
    targets.has(file.path, names);
    const mending = new LinkMending(transaction, {
      targets,
      // With another heading of the same name, links resolve to that one from now on.
      destination: (to, anchor) => {
        if (to !== file.path || anchor === undefined || isTwin) return undefined;
        const now = renamedAnchor(anchor, headings, heading, text);
        return now === undefined ? undefined : { path: to, anchor: now };
      },
    });
    if (!renamed.bytes.equals(file.bytes)) {
      await transaction.write(file.path, renamed.bytes);
      const concerned = await notesConcerned(open, [file.path], names);
      await mending.mendInPlace([...new Set([file.path, ...concerned])]);
    }
    return { file, mending };
  });
  const { file, mending } = change.value;
  const result = await reported(open, file.path, change, [...warnings, ...mending.warnings], true);
  return {
    ...result,
    content_hash: result.content_hash ?? file.contentHash,
    link_edits: mending.edits,
  };
}
