import { type LinkChange, rewriteLink } from '../links/rewrite-links.ts';
import type { ParsedNote } from '../markdown/parsed-note.ts';
import type { Replacement } from '../text/replacements.ts';
import { inSlices } from './in-slices.ts';

/** Rewrites the links of a note in time slices: a note may have 100,000. */
export async function linkReplacements(
  note: ParsedNote,
  change: LinkChange,
): Promise<Replacement[]> {
  const replacements: Replacement[] = [];
  await inSlices(note.links, (link) => {
    const made = rewriteLink(note, link, change);
    if (made) replacements.push(made);
  });
  return replacements;
}
