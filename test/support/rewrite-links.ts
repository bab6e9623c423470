import type { ParsedNote } from '../../src/notes/text/parsed-note.ts';
import type { Replacement } from '../../src/notes/text/replacements.ts';
import { type LinkChange, rewriteLink } from '../../src/notes/text/rewrite-links.ts';

/** All links of a note spelt anew, at once. */
export function rewriteLinks(note: ParsedNote, change: LinkChange): Replacement[] {
  return note.links.flatMap((link) => rewriteLink(note, link, change) ?? []);
}
