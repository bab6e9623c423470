import { type LinkChange, rewriteLink } from '../../../src/notes/links/rewrite-links.ts';
import type { ParsedNote } from '../../../src/notes/markdown/parsed-note.ts';
import type { Replacement } from '../../../src/notes/text/replacements.ts';

/** All links of a note spelt anew, at once. */
export function rewriteLinks(note: ParsedNote, change: LinkChange): Replacement[] {
  return note.links.flatMap((link) => rewriteLink(note, link, change) ?? []);
}
