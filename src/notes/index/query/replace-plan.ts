/**
 * Plans the edits of vault_replace, note by note. It runs in a thread with a timeout, because a
 * regular expression may never return (ReDoS). The index preselects notes; the edits are computed
 * from the files.
 */
import { type ReplaceAll, replaceAll } from '../../edit/replace-all.ts';
import { contentHash } from '../../files/content-hash.ts';
import { encodingProblem } from '../../files/encoding.ts';
import { parseNote } from '../../markdown/parse-note.ts';
import { EditError } from '../../text/edit-error.ts';
import { lineExpression } from '../../text/line-expression.ts';
import { withEol } from '../../text/lines.ts';
import { applyReplacements, type Replacement } from '../../text/replacements.ts';
import { VaultFiles } from '../content/vault-files.ts';
import { IndexError } from '../store/index-error.ts';
import type { Sql } from '../store/sql.ts';
import { readPlace, writePlace } from './cursor.ts';
import { fileCondition } from './file-filter.ts';
import { noteTexts } from './note-texts.ts';

export interface ReplaceQuery extends ReplaceAll {
  readonly prefix?: string;
  /** The maximum number of replacements; the page ends with the note that exceeds it. */
  readonly limit: number;
  readonly cursor?: string;
}

export interface PlannedFile {
  readonly path: string;
  /** The content hash of the file that was read. */
  readonly hash: string;
  readonly replacements: readonly {
    readonly start: number;
    readonly end: number;
    readonly bytes: Uint8Array;
  }[];
  /** Set if the edit would make the frontmatter invalid. */
  readonly problem?: string;
}

export interface ReplacePage {
  readonly files: readonly PlannedFile[];
  /** Notes with the text that are not UTF-8 and are left alone. */
  readonly notText: readonly string[];
  readonly cursor?: string;
}

const BUDGET_MS = 1500;
/** A page is copied between threads and may contain whole notes. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

export function replacePlan(
  sql: Sql,
  query: ReplaceQuery & { readonly root: string },
): ReplacePage {
  const mayHold = preselection(query);
  const { prefix, kind, pattern } = query;
  const filter = fileCondition({ prefix, ...(kind === 'tag' && { tags: [pattern] }) });
  const [from = ''] = readPlace(query.cursor, ['text']) ?? [];
  const deadline = performance.now() + BUDGET_MS;
  const planned: PlannedFile[] = [];
  const notText: string[] = [];
  const files = new VaultFiles(query.root);
  let [places, bytesOut] = [0, 0];
  try {
    for (const note of noteTexts(sql, filter, String(from))) {
      if (performance.now() > deadline || bytesOut > MAX_PAGE_BYTES)
        return { files: planned, notText, cursor: writePlace([note.path]) };
      const bytes = mayHold(note.text) ? files.read(note.path)?.bytes : undefined;
      if (bytes && encodingProblem(bytes) !== undefined) {
        notText.push(note.path);
        continue;
      }
      const file = bytes && planFile(note.path, bytes, { ...query, most: query.limit - places });
      if (file === undefined) continue;
      planned.push(file);
      places += file.replacements.length;
      for (const { bytes: put } of file.replacements) bytesOut += put.length;
      if (places > query.limit) break;
    }
    return { files: planned, notText };
  } finally {
    files.close();
  }
}

function planFile(path: string, bytes: Buffer, wanted: ReplaceAll): PlannedFile | undefined {
  const note = parseNote(bytes);
  const replacements = accepted(() => replaceAll(note, wanted));
  if (replacements.length === 0) return undefined;
  const { frontmatter } = parseNote(applyReplacements(bytes, replacements));
  const isNew = frontmatter?.problem !== undefined && note.frontmatter?.problem === undefined;
  return {
    path,
    hash: contentHash(bytes),
    replacements,
    ...(isNew && { problem: frontmatter.problem }),
  };
}

/** Validates the pattern and returns a cheap test on the indexed text. */
function preselection({ kind, pattern, replace }: ReplaceAll): (text: string) => boolean {
  accepted(() => replaceAll(parseNote(Buffer.alloc(0)), { kind, pattern, replace }));
  if (kind === 'tag') return () => true;
  if (kind === 'literal') {
    const wanted = withPlainEnds(pattern);
    return (text) => withPlainEnds(text).includes(wanted);
  }
  const expression = lineExpression(pattern);
  return (text) => withPlainEnds(text).search(expression) !== -1;
}

function withPlainEnds(text: string): string {
  return text.includes('\r') ? withEol(text, '\n') : text;
}

function accepted(replace: () => readonly Replacement[]): readonly Replacement[] {
  try {
    return replace();
  } catch (error) {
    if (!(error instanceof EditError)) throw error;
    const code = error.code === 'regex_invalid' ? error.code : 'invalid_arguments';
    throw new IndexError(code, error.message);
  }
}
