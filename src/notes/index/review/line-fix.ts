import { noteText } from '../query/note-texts.ts';
import type { Sql } from '../store/sql.ts';
import type { ReviewFix } from './review-item.ts';

/** A note_edit that changes one line, where that line can be told from all others. */
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
