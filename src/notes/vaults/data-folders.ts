/**
 * The entries of a data directory: vaults, skipped folders with the reason, and notes outside any
 * vault. A user who copies `My Vault` there, or sets a vault itself as the data directory, must get
 * a warning. Hidden folders and `lost+found` are ignored.
 */
import { type Dirent, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { terminalText } from '../../core/log/terminal-text.ts';
import { shellWord } from '../../core/shell-word.ts';

const VAULT_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const VAULT_NAME_FORM = '[a-z0-9][a-z0-9_-]{0,63}';
const MAX_VAULT_NAME = 64;
const IGNORED = /^(?:\.|lost\+found$)/;
const NOTE = /\.(?:md|markdown)$/i;
/** Further ones are only counted. */
const MAX_NAMED = 20;

/** What applications keep at the top of a vault. */
const MARKERS: readonly (readonly [path: string, kind: string])[] = [
  ['.obsidian', 'an Obsidian vault'],
  ['.logseq', 'a Logseq graph'],
  ['logseq/config.edn', 'a Logseq graph'],
  ['.notes', 'a vault of this server'],
];

export interface SkippedFolder {
  readonly name: string;
  readonly reason: string;
  /** A valid name for it; absent for a link. */
  readonly newName?: string;
}

export interface DataFolders {
  readonly vaults: readonly string[];
  /** At most MAX_NAMED, in the order of names. */
  readonly skipped: readonly SkippedFolder[];
  readonly skippedCount: number;
  /** The notes outside any vault. */
  readonly looseNotes: { readonly count: number; readonly first?: string };
  /** Why the directory seems to be a vault itself; undefined when it does not. */
  readonly isVault?: string;
}

export function isVaultName(name: string): boolean {
  return VAULT_NAME.test(name);
}

export async function vaultNames(data: string): Promise<string[]> {
  const entries = await readdir(data, { withFileTypes: true });
  return namesOf(entries.filter(isVaultEntry));
}

export async function readDataFolders(data: string): Promise<DataFolders> {
  const entries = await readdir(data, { withFileTypes: true });
  const vaults = namesOf(entries.filter(isVaultEntry));
  const others = entries.filter((entry) => !isVaultEntry(entry) && !IGNORED.test(entry.name));
  const folders = namesOf(others.filter((entry) => isFolder(data, entry)));
  const links = new Set(namesOf(others.filter((entry) => entry.isSymbolicLink())));
  const taken = new Set(entries.map(({ name }) => name));
  const notes = namesOf(entries.filter((entry) => entry.isFile() && NOTE.test(entry.name)));
  const isVault = vaultKind(data, vaults, notes.length > 0);
  return {
    vaults,
    skipped: folders
      .slice(0, MAX_NAMED)
      .map((name) => (links.has(name) ? { name, reason: LINK } : misnamed(name, taken))),
    skippedCount: folders.length,
    looseNotes: { count: notes.length, ...(notes[0] !== undefined && { first: notes[0] }) },
    ...(isVault !== undefined && { isVault }),
  };
}

/** The error for a data directory that is itself a vault, and how to fix it. */
export function vaultItselfProblem(data: string, isVault: string): string {
  const [place, parent] = [terminalText(data), terminalText(dirname(data))];
  const problem = `${place} is itself ${isVault}, but must be the directory that holds the vaults`;
  if (parent === '/') {
    return `${problem}; mount the vault at ${join(place, 'notes')} instead, or move it there`;
  }
  const name = vaultNameFor(basename(data));
  const renamed = name === basename(data) ? '' : `, with this one renamed to ${name}`;
  return `${problem}; make such a directory, move this one into it as ${name}, and set NOTES_DATA to it; ${parent} will do if it holds nothing but vaults${renamed}`;
}

/** A line per skipped folder, one for the further ones, one for notes outside any vault. */
export function* dataWarnings(data: string, found: DataFolders): Iterable<string> {
  const place = terminalText(data);
  for (const { name, reason, newName } of found.skipped) {
    const cure = newName === undefined ? '' : `; rename it: ${renaming(data, name, newName)}`;
    yield `the folder ${quotedName(name)} in ${place} is skipped: ${reason}${cure}`;
  }
  const more = found.skippedCount - found.skipped.length;
  if (more > 0) yield `${counted(more, 'more folder')} skipped in ${place}`;
  const { count, first } = found.looseNotes;
  if (first === undefined) return;
  const vault = join(place, found.vaults[0] ?? 'default');
  yield `${counted(count, 'note')} at the top of ${place} and in no vault, such as ${quotedName(first)}; move notes into the folder of a vault, such as ${vault}`;
}

/** The nearest valid vault name. */
export function vaultNameFor(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const name = plain.replace(/[^a-z0-9_-]+/g, '-').replace(/^[-_]+|-+$/g, '');
  return name.slice(0, MAX_VAULT_NAME) || 'vault';
}

const LINK = 'it is a symbolic link, and a vault is a directory; move or mount the notes there';

function misnamed(name: string, taken: Set<string>): SkippedFolder {
  const newName = freeName(vaultNameFor(name), taken);
  // No two folders get the same suggestion.
  taken.add(newName);
  return { name, reason: `a vault's name matches ${VAULT_NAME_FORM}`, newName };
}

/** The command, unless the name has characters that cannot be typed. */
function renaming(data: string, name: string, newName: string): string {
  const from = join(data, name);
  if (terminalText(from) !== from) return `"${newName}" would do`;
  return `mv ${shellWord(from)} ${shellWord(join(data, newName))}`;
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number++) {
    const suffix = `-${number}`;
    const next = name.slice(0, MAX_VAULT_NAME - suffix.length) + suffix;
    if (!taken.has(next)) return next;
  }
}

/**
 * An application marker may also come from opening the directory of all vaults at once. So it does
 * not count if a folder below has a marker too, or if there are vault folders and no notes beside
 * them (except for Logseq, which keeps all notes in folders).
 */
function vaultKind(data: string, vaults: readonly string[], hasNotes: boolean): string | undefined {
  const [marker, kind] = MARKERS.find(([path]) => exists(join(data, path))) ?? [];
  if (marker === undefined) return undefined;
  if (vaults.some((name) => wasVault(join(data, name)))) return undefined;
  const isEvident = vaults.length === 0 || hasNotes || marker.startsWith('logseq');
  return isEvident ? `${kind} (it has ${marker})` : undefined;
}

function wasVault(root: string): boolean {
  return MARKERS.some(([path]) => exists(join(root, path)));
}

function isVaultEntry(entry: Dirent): boolean {
  return entry.isDirectory() && isVaultName(entry.name);
}

/** A link counts if it leads to a directory. */
function isFolder(data: string, entry: Dirent): boolean {
  if (entry.isDirectory()) return true;
  return entry.isSymbolicLink() && kindOf(join(data, entry.name)) === 'directory';
}

function exists(path: string): boolean {
  return kindOf(path) !== undefined;
}

/** Undefined also where access is denied. */
function kindOf(path: string): 'directory' | 'other' | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && (found.isDirectory() ? 'directory' : 'other');
  } catch {
    return undefined;
  }
}

function namesOf(entries: readonly Dirent[]): string[] {
  return entries.map(({ name }) => name).sort();
}

function quotedName(name: string): string {
  return `"${terminalText(name, 100)}"`;
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? ' is' : 's are'}`;
}
