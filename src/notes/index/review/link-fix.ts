import { type LinkChange, rewriteLink } from '../../links/rewrite-links.ts';
import { parseNote } from '../../markdown/parse-note.ts';
import { applyReplacements } from '../../text/replacements.ts';
import { noteText } from '../query/note-texts.ts';
import type { Sql } from '../store/sql.ts';
import type { ReviewFix } from './review-item.ts';

/** Parsing a longer note again for one link takes too long. */
const MAX_NOTE_LENGTH = 256 * 1024;

export interface LinkPlace {
  readonly id: number;
  readonly path: string;
  /** The index of the link in the note. */
  readonly place: number;
  /** The destination. */
  readonly to: string;
}

/** A note_edit that rewrites one link to the full path or, if given, to another anchor. */
export function linkFix(
  sql: Sql,
  { id, path, place, to }: LinkPlace,
  anchor?: string,
): { readonly fix?: ReviewFix } {
  const text = noteText(sql, id);
  // The index has U+FFFD for bytes that are not UTF-8.
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
    // As spelt now the link is ambiguous, unless only its anchor is wrong.
    ...(anchor === undefined && { leadsTo: () => undefined }),
  };
}

/** A note_edit that changes one line, if that line is unique in the note. */
export function lineFix(
  sql: Sql,
  note: { readonly id: number; readonly path: string },
  line: number,
  change: (text: string) => string | undefined,
): { readonly fix?: ReviewFix } {
  const text = noteText(sql, note.id);
  const before = text.split(/\r\n|\n|\r/)[line - 1];
  const after = before === undefined ? undefined : change(before);
  if (before === undefined || after === undefined || after === before) return {};
  if (text.indexOf(before) !== text.lastIndexOf(before) || before.includes('\ufffd')) return {};
  const edits = [{ old_string: before, new_string: after }];
  return { fix: { tool: 'note_edit', arguments: { path: note.path, edits } } };
}
