/**
 * Updates the links of all notes affected by a change of files, within that change. A note is
 * written only if a link changes. Every link is resolved again afterwards, and a link that could not
 * be updated is reported.
 */
import { isUtf8 } from 'node:buffer';
import type { Transaction } from '../changes/change-types.ts';
import { encodingProblem } from '../files/encoding.ts';
import { isNote, type VaultPath } from '../files/vault-path.ts';
import { reasonToSkip } from '../index/content/indexed-note.ts';
import type { FileName } from '../index/content/link-names.ts';
import { IndexError } from '../index/store/index-error.ts';
import { readNote } from '../large-notes/heavy-notes.ts';
import { isLinkingFile } from '../links/linking-file.ts';
import type { LinkChange } from '../links/rewrite-links.ts';
import type { Link, ParsedNote } from '../markdown/parsed-note.ts';
import { applyReplacements, type Replacement } from '../text/replacements.ts';
import { fromLatin1 } from '../text/utf8.ts';
import { clip } from '../tool-kit/fit.ts';
import { inSlices } from '../tool-kit/in-slices.ts';
import { linkReplacements } from '../tool-kit/link-replacements.ts';
import type { LinkTargets } from '../tool-kit/link-targets.ts';
import type { OpenVault } from '../vaults/open-vault.ts';
import { type MovedFolder, mendLinkingFile } from './mend-linking-file.ts';

export interface MendedNote {
  readonly path: VaultPath;
  /** Where it was before the change. */
  readonly from: string;
  /** The line of the note at which this part begins. */
  readonly firstLine?: number;
}

export interface LinkRules {
  readonly targets: LinkTargets;
  readonly destination: LinkChange['destination'];
  /** Bases name folders. */
  readonly folder?: MovedFolder;
}

export interface LinkEdit {
  readonly path: string;
  readonly line: number;
  readonly from: string;
  readonly to: string;
}

/** The `link_edits` of a tool result. */
export interface LinkEdits {
  readonly links: number;
  readonly notes: number;
  /** The first few. */
  readonly shown: readonly LinkEdit[];
}

const BATCH_SIZE = 100;
const MAX_SHOWN = 20;
const MAX_WARNINGS = 10;
const BUILD_TIMEOUT_MS = 30_000;

/** Waits for the index to contain every link, with a timeout. */
export async function whenIndexed({ index }: OpenVault): Promise<void> {
  if (index.state().state === 'ready') return;
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => resolve('late'), BUILD_TIMEOUT_MS);
  try {
    if ((await Promise.race([index.build(), late])) !== 'late') return;
  } finally {
    clearTimeout(timer);
  }
  const message = 'the index is being built, so links cannot be updated yet; try again in a minute';
  throw new IndexError('index_building', message);
}

/** The paths of the notes with a link to one of the files, or to one of the names. */
export function notesConcerned(
  { index }: OpenVault,
  paths: readonly string[],
  names: readonly FileName[],
): Promise<VaultPath[]> {
  const keys = names.map(({ key }) => key);
  return index.reach({ paths, keys }) as Promise<VaultPath[]>;
}

/** A warning for notes that are not indexed and may contain links. */
export function unreadNotes({ index }: OpenVault): string[] {
  const { skipped } = index.state();
  if (skipped === 0) return [];
  const notes = skipped === 1 ? '1 note is not indexed' : `${skipped} notes are not indexed`;
  return [`${notes}; links in ${skipped === 1 ? 'it' : 'them'} were not checked`];
}

export class LinkMending {
  readonly #transaction: Transaction;
  readonly #rules: LinkRules;
  readonly #shown: LinkEdit[] = [];
  readonly #warnings: string[] = [];
  #links = 0;
  #notes = 0;

  constructor(transaction: Transaction, rules: LinkRules) {
    this.#transaction = transaction;
    this.#rules = rules;
  }

  get edits(): LinkEdits {
    return { links: this.#links, notes: this.#notes, shown: this.#shown };
  }

  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** Updates notes that stay where they are. */
  async mendInPlace(paths: readonly VaultPath[]): Promise<void> {
    await this.mend(paths.map((path) => ({ path, from: path })));
  }

  /** As `mendInPlace`, also for notes that the change moves. */
  async mend(notes: readonly MendedNote[]): Promise<void> {
    const { targets } = this.#rules;
    await targets.loadGiven();
    for (let first = 0; first < notes.length; first += BATCH_SIZE) {
      const read = await this.#read(notes.slice(first, first + BATCH_SIZE));
      await targets.load(read.map(({ from, note }) => ({ path: from, links: note.links })));
      for (const one of read) await this.#mendNote(one);
    }
    for (const one of notes) if (isLinkingFile(one.path)) await this.#mendFile(one);
  }

  /** The same for text that the caller writes; `targets` must have loaded its links. */
  async mended(note: ParsedNote, place: MendedNote): Promise<Buffer> {
    const { path, from } = place;
    const { targets, destination } = this.#rules;
    const replacements = await linkReplacements(note, {
      from,
      to: path,
      resolve: (link) => targets.before(from, link),
      destination,
      keepsOtherNames: true,
      ...targets.rulesAt(path),
    });
    const bytes = applyReplacements(note.bytes, replacements);
    this.#record(note, place, replacements);
    const after = replacements.length > 0 ? await readNote(bytes) : note;
    await inSlices(note.links.entries(), ([at, link]) => this.#check(link, after.links[at], place));
    return bytes;
  }

  async #read(notes: readonly MendedNote[]): Promise<(MendedNote & { note: ParsedNote })[]> {
    const read: (MendedNote & { note: ParsedNote })[] = [];
    for (const one of notes) {
      const file = isNote(one.path) ? await this.#transaction.find(one.path) : undefined;
      if (file === undefined) continue;
      const reason = reasonToSkip(file.bytes.length) ?? encodingProblem(file.bytes);
      if (reason !== undefined) {
        this.#warn(`the links of "${file.path}" were not updated; ${reason}`);
        continue;
      }
      read.push({ ...one, path: file.path, note: await readNote(file.bytes) });
    }
    return read;
  }

  async #mendNote({ note, ...place }: MendedNote & { readonly note: ParsedNote }): Promise<void> {
    const bytes = await this.mended(note, place);
    if (!bytes.equals(note.bytes)) await this.#transaction.write(place.path, bytes);
  }

  async #mendFile(place: MendedNote): Promise<void> {
    const file = await this.#transaction.find(place.path);
    if (file === undefined || !isUtf8(file.bytes)) return;
    const before = file.bytes.toString();
    const notes = this.#notes;
    const { text, changed, left } = await mendLinkingFile(
      { ...place, text: before },
      {
        ...this.#rules,
        mendMarkdown: (note, firstLine) => this.mended(note, { ...place, firstLine }),
      },
    );
    for (const { line, target } of left) {
      this.#warn(`the link "${clip(target)}" in line ${line} of "${file.path}" was not updated`);
    }
    if (text === before) return;
    await this.#transaction.write(file.path, Buffer.from(text));
    this.#notes = notes + 1;
    this.#links += changed.length;
    const shown = changed.slice(0, MAX_SHOWN - this.#shown.length);
    this.#shown.push(...shown.map((edit) => ({ path: file.path, ...edit })));
  }

  #record(note: ParsedNote, place: MendedNote, replacements: readonly Replacement[]): void {
    this.#links += replacements.length;
    if (replacements.length > 0) this.#notes++;
    for (const { start, end, bytes } of replacements) {
      if (this.#shown.length === MAX_SHOWN) return;
      const found = note.links.find((link) => link.start <= start && link.end >= end);
      const line = lineIn(place, found?.line ?? 1);
      // A link may hold an anchor of any length.
      const from = clip(fromLatin1(note.latin1.slice(start, end)));
      this.#shown.push({ path: place.path, line, from, to: clip(bytes.toString()) });
    }
  }

  /** A frontmatter value, for example, cannot contain every name. */
  #check(before: Link, after: Link | undefined, place: MendedNote): void {
    if (this.#warnings.length === MAX_WARNINGS) return;
    const wanted = this.#wanted(before, place);
    const there = after && this.#rules.targets.after(place.path, after);
    if (wanted === undefined || there === wanted) return;
    const shown = clip(before.target === '' ? `#${before.anchor}` : before.target);
    this.#warn(
      `the link "${shown}" in line ${lineIn(place, before.line)} of "${place.path}" could not be updated; it should lead to "${wanted}"`,
    );
  }

  #warn(warning: string): void {
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push(warning);
  }

  #wanted(link: Link, { from, path }: MendedNote): string | undefined {
    const { targets, destination } = this.#rules;
    const named = targets.before(from, link);
    if (named === undefined) return undefined;
    return destination(named, link.anchor)?.path ?? (named === from ? path : named);
  }
}

function lineIn({ firstLine = 1 }: MendedNote, line: number): number {
  return firstLine - 1 + line;
}
