/**
 * The notes of the search benchmark: documentation in Markdown that `npm ci` installs. None of it
 * was written for this benchmark, and none of it is copied into the repository.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const CHECKOUT = new URL('../../', import.meta.url).pathname;
const INSTALLED = 'node_modules/';
const MARKDOWN = /\.(md|mdx|markdown)$/i;
/** Licences, people, and logs of changes, which mention every word of their package. */
const BOILERPLATE = /^(licen[cs]e|changelog|authors|sponsors|governance|code_of_conduct)\b/i;
/** Not `history.md`, which is a command of the shell. */
const CHANGES = /^(HISTORY|History)\b/;
/** A thousand lint rules on one template would be two of three notes, fragments are no pages. */
const LEFT_OUT = ['bun-types/docs/lint/', 'bun-types/docs/snippets/', 'bun-types/CLAUDE.md'];

export interface Note {
  /** `<package>/<path>.md`, with slashes. */
  readonly path: string;
  readonly text: string;
}

interface LockedPackage {
  readonly optional?: boolean;
  readonly link?: boolean;
}

/**
 * Reads the notes, sorted by path. The lock names the packages, not the folder: packages for one
 * platform are optional, and a second version of a package is nested, so neither is read and every
 * machine gets the same notes. Of files with the same text the first by path is kept.
 */
export function readCorpus(checkout = CHECKOUT): Note[] {
  const lock = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8'));
  const notes = new Map<string, Note>();
  for (const name of packagesOf(lock.packages)) {
    for (const file of markdownIn(join(checkout, INSTALLED, name))) {
      const path = `${name}/${file}`.replace(MARKDOWN, '.md');
      if (LEFT_OUT.some((start) => path.startsWith(start))) continue;
      const text = readFileSync(join(checkout, INSTALLED, name, file), 'utf8');
      notes.set(path, { path, text });
    }
  }
  return withoutCopies([...notes.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)));
}

/** Writes the notes into a folder, which then is a vault. */
export function writeCorpus(vault: string, notes: readonly Note[]): void {
  for (const { path, text } of notes) {
    const file = join(vault, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** Figures of two runs can be compared when this is equal. */
export function fingerprintOf(notes: readonly Note[]): string {
  const hash = createHash('sha256');
  for (const { path, text } of notes) hash.update(`${path}\0${text}\0`);
  return hash.digest('hex').slice(0, 12);
}

function packagesOf(locked: Record<string, LockedPackage>): string[] {
  return Object.entries(locked)
    .filter(([, { optional, link }]) => !optional && !link)
    .map(([place]) => place)
    .filter((place) => place.lastIndexOf(INSTALLED) === 0)
    .map((place) => place.slice(INSTALLED.length));
}

/** Relative to the folder of the package, with slashes. Folders that start with a dot are hidden. */
function markdownIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => MARKDOWN.test(file) && !/(^|\/)(\.|node_modules\/)/.test(file))
    .filter((file) => {
      const name = file.slice(file.lastIndexOf('/') + 1);
      return !BOILERPLATE.test(name) && !CHANGES.test(name);
    });
}

function withoutCopies(notes: readonly Note[]): Note[] {
  const first = new Map<string, string>();
  for (const { path, text } of notes) if (!first.has(text)) first.set(text, path);
  return notes.filter(({ path, text }) => first.get(text) === path);
}
