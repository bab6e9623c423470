/**
 * What the caller of a write should know of its outcome although nothing was refused. Only what is
 * certain and cheap to find: a warning that may be wrong would soon not be read.
 */

import type { ChangedFile } from '../changes/change-types.ts';
import { isNote } from '../files/vault-path.ts';
import type { NoteComparison } from '../large-notes/compare-notes.ts';
import { comparedNotes } from '../large-notes/heavy-notes.ts';
import { HeadingNames } from '../markdown/anchor.ts';
import { LinkTargets } from '../tool-kit/link-targets.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

const MAX_NAMED = 5;
/** Of a note that more links lead to, the rest is not looked at. */
const MAX_LINKS = 10_000;

/**
 * The change has been made by now, or would be by other than a dry run. Of links in the notes of
 * `mended` the index does not know yet that the change mends them.
 */
export async function warningsOf(
  open: OpenVault,
  file: ChangedFile,
  mended: readonly string[],
): Promise<readonly string[]> {
  const { path, before = Buffer.alloc(0), after } = file;
  if (after === undefined || !isNote(path)) return [];
  const compared = await comparedNotes(path, before, after).catch(() => undefined);
  if (compared === undefined) return ['the note is too large to check for warnings'];
  // Until the index knows every note, it cannot tell that a link leads nowhere.
  if (open.index.state().state !== 'ready') return compared.warnings;
  try {
    return [
      ...compared.warnings,
      ...(await brokenLinks(open, path, compared)),
      ...(await lostAnchors(open, path, compared, new Set(mended))),
    ];
  } catch {
    return compared.warnings;
  }
}

/**
 * Links that the note did not have before and that lead to no file. The index may not know yet what
 * the note itself is called then.
 */
async function brokenLinks(
  open: OpenVault,
  path: string,
  { freshLinks, names }: NoteComparison,
): Promise<string[]> {
  if (freshLinks.length === 0) return [];
  const targets = new LinkTargets(open.index);
  targets.has(path, names);
  await targets.load([{ path, links: freshLinks }]);
  const broken = freshLinks.filter((link) => targets.after(path, link) === undefined);
  return listed(
    [...new Set(broken.map(({ target, line }) => `"${target.slice(0, 100)}" (line ${line})`))],
    (names) => `no file exists yet for the link to ${names}`,
  );
}

/**
 * Links elsewhere to a heading that the note had before and has no more. One that calls the note by
 * a name that it has no more either leads to it no longer.
 */
async function lostAnchors(
  open: OpenVault,
  path: string,
  { lostHeadings, headings, names }: NoteComparison,
  mended: ReadonlySet<string>,
): Promise<string[]> {
  if (lostHeadings.length === 0) return [];
  const query = { path, direction: 'in', limit: MAX_LINKS, names: true } as const;
  const { in: edges } = await open.index.links(query);
  const calls = new Set<string | undefined>(names.map(({ key }) => key));
  const named = (texts: readonly string[]) => new HeadingNames(texts.map((text) => ({ text })));
  const [gone, there] = [named(lostHeadings), named(headings)];
  const sources = edges.flatMap(({ from, anchor, name }) =>
    !mended.has(from) &&
    calls.has(name) &&
    anchor !== undefined &&
    gone.find(anchor) !== undefined &&
    there.find(anchor) === undefined
      ? [`"${from}"`]
      : [],
  );
  return listed([...new Set(sources)], (names) => `links to a removed heading remain in ${names}`);
}

function listed(items: readonly string[], sentence: (names: string) => string): string[] {
  if (items.length === 0) return [];
  const more = items.length > MAX_NAMED ? ` and ${items.length - MAX_NAMED} more` : '';
  return [sentence(items.slice(0, MAX_NAMED).join(', ') + more)];
}
