/**
 * Prevents notes from being committed in cleartext that `.gitattributes` wants encrypted, and any
 * other bypass of its conversions. Git ignores a filter without a driver, and the drivers of
 * git-crypt and LFS are often set in the owner's global configuration, which is not read.
 */
import { randomBytes } from 'node:crypto';
import { GitFailure, type GitProcess } from './git-process.ts';

export interface Conversions {
  /** The paths that git converts: by encryption, LFS or line ends. */
  readonly converted: ReadonlySet<string>;
  /** The filter of each path that has one. */
  readonly filters: ReadonlyMap<string, string>;
  /** The paths whose filter has no driver in the repository, each with what to do. */
  readonly unfiltered: ReadonlyMap<string, string>;
}

const CONVERSIONS = ['filter', 'text', 'crlf', 'eol', 'ident', 'working-tree-encoding'];
/** All commits wait for a filter. */
const CONVERSION_TIMEOUT_MS = 20_000;
const DRIVER = /^filter\.(.+)\.(clean|process)$/s;

export async function conversions(git: GitProcess, paths: readonly string[]): Promise<Conversions> {
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''));
  const [listed, automatic, drivers] = await Promise.all([
    git.run(['check-attr', '-z', '--stdin', ...CONVERSIONS], { input }),
    git.ask(['config', '--get', 'core.autocrlf'], { answers: [1] }),
    filterDrivers(git),
  ]);
  const fields = listed.toString().split('\0');
  const isAutomatic = /^(true|input)/.test(automatic.stdout.toString());
  const converted = new Set(isAutomatic ? paths : []);
  const filters = new Map<string, string>();
  const unfiltered = new Map<string, string>();
  for (let i = 0; i + 2 < fields.length; i += 3) {
    const [path, attribute, value] = fields.slice(i, i + 3) as [string, string, string];
    if (value === 'unspecified' || value === 'unset') continue;
    converted.add(path);
    if (attribute !== 'filter') continue;
    filters.set(path, value);
    if (!drivers.has(value)) unfiltered.set(path, noDriver(value));
  }
  return { converted, filters, unfiltered };
}

export type Stored = { readonly blob: string | undefined } | { readonly refusal: string };

/**
 * Stores notes as the repository wants them; the blob is undefined when the bytes need no conversion.
 * A filter that timed out is not run again.
 */
export function converter(
  git: GitProcess,
  { converted, filters, unfiltered }: Conversions,
): (path: string, bytes: Buffer) => Promise<Stored> {
  const timedOut = new Map<string, string>();
  return async (path, bytes) => {
    const filter = filters.get(path);
    const refusal = unfiltered.get(path) ?? (filter && timedOut.get(filter));
    if (refusal !== undefined) return { refusal };
    if (!converted.has(path)) return { blob: undefined };
    const stored = await convertedBlob(git, path, bytes);
    if (filter && 'refusal' in stored && stored.timedOut) timedOut.set(filter, stored.refusal);
    return stored;
  };
}

/**
 * Stores a converted note. A failed conversion (a filter that fails or hangs, line ends that would
 * be lost) is a refusal of this note alone. If git cannot store any object, for example on a full
 * disk, that throws, and the commit is retried.
 */
async function convertedBlob(
  git: GitProcess,
  path: string,
  bytes: Buffer,
): Promise<{ readonly blob: string } | { readonly refusal: string; readonly timedOut: boolean }> {
  const store = ['hash-object', '-w', '--stdin'];
  try {
    const call = { input: bytes, timeoutMs: CONVERSION_TIMEOUT_MS };
    return { blob: await git.text([...store, `--path=${path}`], call) };
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    await git.run(store, { input: randomBytes(bytes.length) });
    const refusal = `git cannot convert it: ${error.message}; fix that and change the note again`;
    return { refusal, timedOut: error.exitCode === undefined };
  }
}

async function filterDrivers(git: GitProcess): Promise<Set<string>> {
  const list = ['config', '-z', '--name-only', '--get-regexp', '^filter\\.'];
  const { stdout } = await git.ask(list, { answers: [1] });
  const names = stdout.toString().split('\0');
  return new Set(names.map((name) => DRIVER.exec(name)?.[1]).filter((name) => name !== undefined));
}

function noDriver(filter: string): string {
  return (
    `its filter "${filter}" is not set up in this repository; set filter.${filter}.clean or ` +
    `filter.${filter}.process in the .git/config of the vault, then change the note again`
  );
}
