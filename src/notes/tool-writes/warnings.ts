/** Warnings about a write that was not refused. Only certain and cheap ones, so that they are read. */
import type { ChangedFile } from '../changes/change-types.ts';
import { isNote } from '../files/vault-path.ts';
import type { NoteComparison } from '../large-notes/compare-notes.ts';
import { comparedNotes } from '../large-notes/heavy-notes.ts';
import { HeadingNames } from '../markdown/anchor.ts';
import { LinkTargets } from '../tool-kit/link-targets.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

const MAX_NAMED = 5;
/** At most this many incoming links are checked. */
const MAX_LINKS = 10_000;

/** Runs after the change or its dry run. Links in the notes of `mended` are updated by the change. */
export async function warningsOf(
  open: OpenVault,
  file: ChangedFile,
  mended: readonly string[],
): Promise<readonly string[]> {
  const { path, before = Buffer.alloc(0), after } = file;
  if (after === undefined || !isNote(path)) return [];
  const compared = await comparedNotes(path, before, after).catch(() => undefined);
  if (compared === undefined) return ['the note is too large to check for warnings'];
  // Broken links can only be detected with a complete index.
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

/** New links that resolve to no file. The index may not have the new names of the note yet. */
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

/** Links in other notes to a removed heading. Links by a removed name no longer lead to the note. */
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
