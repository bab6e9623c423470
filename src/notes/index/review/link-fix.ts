import { type LinkChange, rewriteLink } from '../../links/rewrite-links.ts';
import { parseNote } from '../../markdown/parse-note.ts';
import { applyReplacements } from '../../text/replacements.ts';
import { noteText } from '../query/note-texts.ts';
import type { Sql } from '../store/sql.ts';
import { lineFix } from './line-fix.ts';
import type { ReviewFix } from './review-item.ts';

/** A longer one takes too long to be read again for one link. */
const MAX_NOTE_LENGTH = 256 * 1024;

export interface LinkPlace {
  readonly id: number;
  readonly path: string;
  /** Which of the note's links it is. */
  readonly place: number;
  /** The file it leads to. */
  readonly to: string;
}

/**
 * A note_edit that spells one link anew, as the link is written: by its full path or, where an
 * anchor is given, with that. Nothing else that looks like the link is taken for it.
 */
export function linkFix(
  sql: Sql,
  { id, path, place, to }: LinkPlace,
  anchor?: string,
): { readonly fix?: ReviewFix } {
  const text = noteText(sql, id);
  // A byte that is not UTF-8 is another one here.
  if (text.length > MAX_NOTE_LENGTH || text.includes('\ufffd')) return {};
  const note = parseNote(Buffer.from(text));
  const link = note.links[place];
  const replacement = link && rewriteLink(note, link, respelt(path, to, anchor));
  if (replacement === undefined) return {};
  const before = text.split(LINE_END);
  const after = applyReplacements(note.bytes, [replacement]).toString('utf8').split(LINE_END);
  const changed = before.findIndex((line, index) => line !== after[index]);
  if (before.length !== after.length) return {};
  return lineFix(sql, { id, path }, changed + 1, () => after[changed]);
}

const LINE_END = /\r\n|\n|\r/;

function respelt(path: string, to: string, anchor: string | undefined): LinkChange {
  return {
    from: path,
    to: path,
    resolve: () => to,
    destination: () => ({ path: to, ...(anchor !== undefined && { anchor }) }),
    isUnique: () => false,
    keepsOtherNames: true,
    // As the link is spelt, it leads there only perhaps, unless it is its anchor that is wrong.
    ...(anchor === undefined && { leadsTo: () => undefined }),
  };
}
