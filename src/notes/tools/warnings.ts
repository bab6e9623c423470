/**
 * What the caller of a write should know of its outcome although nothing was refused. Only what is
 * certain and cheap to find: a warning that may be wrong would soon not be read.
 */
import { isUtf8 } from 'node:buffer';
import { nameKey } from '../index/link-names.ts';
import type { OpenVault } from '../open-vault.ts';
import type { ChangedFile } from '../storage/change-types.ts';
import { isNote } from '../storage/vault-path.ts';
import { HeadingNames } from '../text/anchor.ts';
import type { ParsedNote } from '../text/parsed-note.ts';
import { readNote } from './heavy-notes.ts';

const MOST_NAMED = 5;
const EOL_NAMES = { '\n': 'LF', '\r\n': 'CRLF', '\r': 'CR' } as const;

/** The change has been made by now, or would be by other than a dry run. */
export async function warningsOf(open: OpenVault, file: ChangedFile): Promise<string[]> {
  const { path, before, after } = file;
  if (after === undefined || !isNote(path)) return [];
  const [old, note] = [await readNote(before ?? Buffer.alloc(0)), await readNote(after)];
  const ownWarnings = [...structureWarnings(old, note), ...byteWarnings(old, note)];
  // Until the index knows every note, it cannot tell that a link leads nowhere.
  if (open.index.state().state !== 'ready') return ownWarnings;
  try {
    return [
      ...ownWarnings,
      ...(await brokenLinks(open, path, old, note)),
      ...(await lostAnchors(open, path, old, note)),
    ];
  } catch {
    return ownWarnings;
  }
}

function structureWarnings(old: ParsedNote, note: ParsedNote): string[] {
  const problem = note.frontmatter?.problem;
  const { openEnd } = note;
  return [
    ...(problem === undefined ? [] : [`the frontmatter cannot be read: ${problem}`]),
    ...(openEnd === undefined || old.openEnd !== undefined
      ? []
      : [
          `the ${openEnd.kind === 'fence' ? 'fence' : 'HTML'} opened in line ${openEnd.line} is never closed and takes in what follows`,
        ]),
  ];
}

function byteWarnings(old: ParsedNote, note: ParsedNote): string[] {
  const warnings: string[] = [];
  if (note.hasBom && !old.hasBom) warnings.push('the note now begins with a byte order mark');
  if (old.bytes.length === 0) return warnings;
  if (old.hasBom && !note.hasBom) warnings.push('the byte order mark of the note is gone');
  const hasLines = old.lineStarts.length > 1 && note.lineStarts.length > 1;
  if (hasLines && old.eol !== note.eol) {
    warnings.push(`the line ends were ${EOL_NAMES[old.eol]} and are ${EOL_NAMES[note.eol]} now`);
  }
  if (!isUtf8(old.bytes) && isUtf8(note.bytes)) {
    warnings.push('the bytes of the note that were not UTF-8 are gone');
  }
  return warnings;
}

/** Links that the note did not have before and that lead to no file. */
async function brokenLinks(
  open: OpenVault,
  path: string,
  old: ParsedNote,
  note: ParsedNote,
): Promise<string[]> {
  const known = new Set(old.links.map(({ target }) => target));
  const fresh = note.links.filter(
    ({ target }) => target !== '' && !known.has(target) && nameKey(target) !== nameKey(path),
  );
  if (fresh.length === 0) return [];
  const asked = fresh.map(({ kind, target }) => ({ kind, target }));
  const found = await open.index.targets(path, asked);
  const broken = fresh.filter((_, index) => found[index] === null);
  return listed(
    [...new Set(broken.map(({ target, line }) => `"${target.slice(0, 100)}" (line ${line})`))],
    (names) => `no file yet for the link to ${names}`,
  );
}

/** Links elsewhere to a heading that the note had before and has no more. */
async function lostAnchors(
  open: OpenVault,
  path: string,
  old: ParsedNote,
  note: ParsedNote,
): Promise<string[]> {
  const left = new Set(note.headings.map(({ text }) => text));
  const lost = old.headings.filter(({ text }) => !left.has(text));
  if (lost.length === 0) return [];
  const { in: edges } = await open.index.links({ path, direction: 'in' });
  const [gone, there] = [new HeadingNames(lost), new HeadingNames(note.headings)];
  const sources = edges.flatMap(({ from, anchor }) =>
    anchor !== undefined && gone.find(anchor) !== undefined && there.find(anchor) === undefined
      ? [`"${from}"`]
      : [],
  );
  return listed(
    [...new Set(sources)],
    (names) => `links to a heading that is gone stand in ${names}`,
  );
}

function listed(items: readonly string[], sentence: (names: string) => string): string[] {
  if (items.length === 0) return [];
  const more = items.length > MOST_NAMED ? ` and ${items.length - MOST_NAMED} more` : '';
  return [sentence(items.slice(0, MOST_NAMED).join(', ') + more)];
}
