/**
 * Stops a note from being committed in another form than its owner asked for in `.gitattributes`:
 * above all in plain text, where he has it encrypted. To git a filter without a driver is none, and
 * the drivers of git-crypt and LFS often stand in the owner's own configuration, which is not read.
 */
import { randomBytes } from 'node:crypto';
import { GitFailure, type GitProcess } from './git-process.ts';

export interface Conversions {
  /** The paths whose bytes git stores converted: encrypted, in LFS or with other line ends. */
  readonly converted: ReadonlySet<string>;
  /** The filters of those that have one. */
  readonly filters: ReadonlyMap<string, string>;
  /** The paths whose filter is not set up in the repository, each with what to do about it. */
  readonly unfiltered: ReadonlyMap<string, string>;
}

const CONVERSIONS = ['filter', 'text', 'crlf', 'eol', 'ident', 'working-tree-encoding'];
/** A filter that takes longer is taken to hang: every other commit waits for it. */
const CONVERSION_MS = 20_000;
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

/** Notes as the repository wants them stored. A filter that hangs is not waited for twice. */
export class Converter {
  readonly #git: GitProcess;
  readonly #conversions: Conversions;
  readonly #hanging = new Map<string, string>();

  constructor(git: GitProcess, conversions: Conversions) {
    this.#git = git;
    this.#conversions = conversions;
  }

  /** The blob is undefined where the bytes are stored as they are. */
  async store(path: string, bytes: Buffer): Promise<Stored> {
    const { converted, filters, unfiltered } = this.#conversions;
    const filter = filters.get(path);
    const refusal = unfiltered.get(path) ?? (filter && this.#hanging.get(filter));
    if (refusal !== undefined) return { refusal };
    if (!converted.has(path)) return { blob: undefined };
    const stored = await convertedBlob(this.#git, path, bytes);
    if (filter && 'refusal' in stored && stored.hangs) this.#hanging.set(filter, stored.refusal);
    return stored;
  }
}

/**
 * Stores a note as git converts it. One that git will not convert, such as for a filter that fails
 * or hangs, or line ends that would be lost, is refused, and no reason to hold up the others; one
 * that cannot be stored for want of space, say, is a failure and tried again.
 */
async function convertedBlob(
  git: GitProcess,
  path: string,
  bytes: Buffer,
): Promise<{ readonly blob: string } | { readonly refusal: string; readonly hangs: boolean }> {
  const store = ['hash-object', '-w', '--stdin'];
  try {
    const call = { input: bytes, timeoutMs: CONVERSION_MS };
    return { blob: await git.text([...store, `--path=${path}`], call) };
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    await git.run(store, { input: randomBytes(bytes.length) });
    const refusal = `git does not convert it: ${error.message}; mend that and change it again`;
    return { refusal, hangs: error.exitCode === undefined };
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
