/**
 * What lies right below a data directory: the vaults, the folders that are none and why, and the
 * notes that are in no vault. A new user copies `My Vault` there, or names a vault itself as the
 * data directory; nothing of that may be passed over in silence.
 *
 * Hidden folders are left out, as everywhere, and so is `lost+found` of a file system.
 */
import { type Dirent, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { terminalText } from '../../core/log/terminal-text.ts';
import { shellWord } from '../../core/shell-word.ts';

const VAULT_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const VAULT_NAME_FORM = '[a-z0-9][a-z0-9_-]{0,63}';
const MAX_VAULT_NAME = 64;
const NOT_OURS = /^(?:\.|lost\+found$)/;
const NOTE = /\.(?:md|markdown)$/i;
/** More of them are counted, not named. */
const MAX_NAMED = 20;

/** What an application keeps at the top of a vault, below its name. */
const MARKERS: readonly (readonly [path: string, kind: string])[] = [
  ['.obsidian', 'an Obsidian vault'],
  ['.logseq', 'a Logseq graph'],
  ['logseq/config.edn', 'a Logseq graph'],
  ['.notes', 'a vault of this server'],
];

export interface SkippedFolder {
  readonly name: string;
  readonly reason: string;
  /** A name that would make it a vault; absent for a link. */
  readonly newName?: string;
}

export interface DataFolders {
  readonly vaults: readonly string[];
  /** The first of them by name. */
  readonly skipped: readonly SkippedFolder[];
  readonly skippedCount: number;
  /** How many notes lie at the top, and the first of them. */
  readonly looseNotes: { readonly count: number; readonly first?: string };
  /** Why the directory must be a vault itself; undefined where it holds vaults, or nothing. */
  readonly isVault?: string;
}

export function isVaultName(name: string): boolean {
  return VAULT_NAME.test(name);
}

/** The names of the vaults that lie in a data directory. */
export async function vaultNames(data: string): Promise<string[]> {
  const entries = await readdir(data, { withFileTypes: true });
  return namesOf(entries.filter(isVaultEntry));
}

export async function readDataFolders(data: string): Promise<DataFolders> {
  const entries = await readdir(data, { withFileTypes: true });
  const vaults = namesOf(entries.filter(isVaultEntry));
  const others = entries.filter((entry) => !isVaultEntry(entry) && !NOT_OURS.test(entry.name));
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

/** Why a directory that is itself a vault cannot hold vaults, and where it belongs. */
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

/** A line for each skipped folder, one for those beyond, one for notes in no vault. */
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

/** The nearest name that a vault may have. */
export function vaultNameFor(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const name = plain.replace(/[^a-z0-9_-]+/g, '-').replace(/^[-_]+|-+$/g, '');
  return name.slice(0, MAX_VAULT_NAME) || 'vault';
}

const LINK = 'it is a symbolic link, and a vault is a directory; move or mount the notes there';

function misnamed(name: string, taken: Set<string>): SkippedFolder {
  const newName = freeName(vaultNameFor(name), taken);
  // Two folders of one run are not given the same name.
  taken.add(newName);
  return { name, reason: `a vault's name matches ${VAULT_NAME_FORM}`, newName };
}

/** The command, where the name can be typed. */
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
 * An application also leaves its folder where somebody opened the directory of all vaults at once.
 * That a folder below is a vault is sure where it has been one already, and believed where no note
 * lies beside it. A Logseq graph has all its notes in folders.
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

/** A link counts where it leads to a directory. */
function isFolder(data: string, entry: Dirent): boolean {
  if (entry.isDirectory()) return true;
  return entry.isSymbolicLink() && kindOf(join(data, entry.name)) === 'directory';
}

function exists(path: string): boolean {
  return kindOf(path) !== undefined;
}

/** Undefined also where it may not be looked at. */
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
