/**
 * Prevents path traversal (CWE-22) and access to hidden files such as `.git` and `.notes`.
 *
 * A `VaultPath` is relative, separated by `/`, and has no empty, `.`, `..` or hidden segment, no
 * NUL, control character or backslash, so joining it to a directory cannot leave that directory
 * (`directory.ts` handles links). Every operation takes a `VaultPath`; only this file makes one.
 */
import { StorageError } from './storage-error.ts';

declare const checked: unique symbol;
export type VaultPath = string & { readonly [checked]: true };

const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 1024;
const NOT_ASCII = /[^\0-\x7f]/;
const CONTROL = /[\0-\x1f\x7f]/;
/** Characters that some filesystems ignore in names, so that they could hide a leading dot. */
const IGNORABLE = /^[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+/;
/** The Windows short name of `.git` and its equivalents, which git refuses to add or to clone. */
const GIT_SHORT_NAME = /^git~1[. ]*(:|$)/i;

export function parseVaultPath(input: string): VaultPath {
  const problem = pathProblem(input);
  if (problem === undefined) return input as VaultPath;
  throw new StorageError(problem.code, problem.message, { path: truncated(input) });
}

/** A folder, with or without a trailing slash; empty for the vault root. */
export function parseFolder(input: string): VaultPath | '' {
  const folder = input.endsWith('/') ? input.slice(0, -1) : input;
  return folder === '' && input.length <= 1 ? '' : parseVaultPath(folder);
}

export interface PathProblem {
  readonly code: 'path_invalid' | 'path_hidden';
  readonly message: string;
}

/** Why a text is not a valid path; undefined when it is one. */
export function pathProblem(input: string): PathProblem | undefined {
  if (input === '') return invalid('the path is empty; name a note such as "folder/note.md"');
  if (!input.isWellFormed() || input.includes('\ufffd')) {
    return invalid('the path is not valid unicode; use another name');
  }
  if (CONTROL.test(input)) return invalid('the path contains a control character; remove it');
  if (input.includes('\\'))
    return invalid('the path contains a backslash; separate folders with "/"');
  if (input.startsWith('/')) {
    return invalid('the path is absolute; give it relative to the vault, without the first "/"');
  }
  if (Buffer.byteLength(input) > MAX_PATH_BYTES) {
    return invalid(`the path is longer than ${MAX_PATH_BYTES} bytes; use a shorter one`);
  }
  for (const segment of input.split('/')) {
    if (segment === '') return invalid('the path has an empty segment; use single slashes');
    if (segment === '.' || segment === '..') {
      return invalid(`the path contains "${segment}"; give it relative to the vault root`);
    }
    if (segment.replace(IGNORABLE, '').startsWith('.')) {
      return hidden('names that start with a dot are hidden; use another name');
    }
    if (GIT_SHORT_NAME.test(segment)) {
      return hidden('git reserves the name "git~1" for its own folder; use another name');
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

/** Equal for names that differ only in case or Unicode form. */
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

function truncated(input: string): string {
  return input.length > 200 ? `${input.slice(0, 200)}…` : input;
}
