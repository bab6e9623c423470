import { type LinkChange, rewriteLink } from '../links/rewrite-links.ts';
import type { ParsedNote } from '../markdown/parsed-note.ts';
import type { Replacement } from '../text/replacements.ts';
import { inSlices } from './in-slices.ts';

/** The links of a note spelt anew, with turns for others: a note may have a hundred thousand. */
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
