/**
 * Stops a caller from naming anything outside a vault, or inside it but not his.
 *
 * A `VaultPath` is relative, separated by `/`, and has no empty, `.`, `..` or hidden segment, no
 * NUL, control character or backslash, so joining it to a directory cannot leave that directory
 * (links are the business of `directory.ts`). Every operation takes a `VaultPath`; this file alone
 * makes one.
 */
import { StorageError } from './storage-error.ts';

declare const checked: unique symbol;
export type VaultPath = string & { readonly [checked]: true };

const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 1024;
const NOT_ASCII = /[^\0-\x7f]/;
const CONTROL = /[\0-\x1f\x7f]/;
/** Characters some filesystems skip when they compare names, so that they could hide a dot. */
const IGNORABLE = /^[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+/;
/**
 * How Windows shortens `.git`, and what it takes for the same. Git adds no such name itself and
 * clones no history that has one.
 */
const GITS_OWN = /^git~1[. ]*(:|$)/i;

export function parseVaultPath(input: string): VaultPath {
  const problem = pathProblem(input);
  if (problem === undefined) return input as VaultPath;
  throw new StorageError(problem.code, problem.message, { path: shown(input) });
}

/** A folder, where a trailing slash is welcome and nothing at all means the vault itself. */
export function parseFolder(input: string): VaultPath | '' {
  const folder = input.endsWith('/') ? input.slice(0, -1) : input;
  return folder === '' && input.length <= 1 ? '' : parseVaultPath(folder);
}

export interface PathProblem {
  readonly code: 'path_invalid' | 'path_hidden';
  readonly message: string;
}

/** Why a text is no path of a vault, or nothing when it is one. */
export function pathProblem(input: string): PathProblem | undefined {
  if (input === '') return invalid('the path is empty; name a note such as "folder/note.md"');
  if (!input.isWellFormed() || input.includes('\ufffd')) {
    return invalid('the path is not valid unicode; use another name');
  }
  if (CONTROL.test(input)) return invalid('the path holds a control character; leave it out');
  if (input.includes('\\')) return invalid('the path holds a backslash; separate folders with "/"');
  if (input.startsWith('/')) {
    return invalid('the path is absolute; give it relative to the vault, without the first "/"');
  }
  if (Buffer.byteLength(input) > MAX_PATH_BYTES) {
    return invalid(`the path is longer than ${MAX_PATH_BYTES} bytes; use a shorter one`);
  }
  for (const segment of input.split('/')) {
    if (segment === '') return invalid('the path has an empty segment; use single slashes');
    if (segment === '.' || segment === '..') {
      return invalid(`the path holds "${segment}"; give it as it stands below the vault`);
    }
    if (segment.replace(IGNORABLE, '').startsWith('.')) {
      return hidden('names that start with a dot are hidden; use another name');
    }
    if (GITS_OWN.test(segment)) {
      return hidden('git takes the name "git~1" for its own folder; use another name');
    }
    if (Buffer.byteLength(segment) > MAX_NAME_BYTES) {
      return invalid(`a name is longer than ${MAX_NAME_BYTES} bytes; use a shorter one`);
    }
  }
  return undefined;
}

export function isNote(path: string): boolean {
  return /\.md$/i.test(path);
}

/** What two spellings of one name have in common: composition and case do not matter. */
export function spellingKey(path: string): string {
  if (!NOT_ASCII.test(path)) return path.toLowerCase();
  return path.normalize('NFC').toLowerCase().normalize('NFC');
}

export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

function invalid(message: string): PathProblem {
  return { code: 'path_invalid', message };
}

function hidden(message: string): PathProblem {
  return { code: 'path_hidden', message };
}

function shown(input: string): string {
  return input.length > 200 ? `${input.slice(0, 200)}…` : input;
}
