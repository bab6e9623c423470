/**
 * The repository of a vault: created when there is none, otherwise used as it is. The server's own
 * files are excluded in `.git/info/exclude`, not in the owner's `.gitignore`.
 */
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { errorCode } from '../files/storage-error.ts';
import { conversions } from './git-conversion.ts';
import { GitFailure, GitProcess } from './git-process.ts';

const EXCLUDED = ['/.notes/index.db*', '/.notes/journal/', '/.notes/trash/', '.~*.tmp'];
export const COMMIT_ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/;
/** Set while the first commit is still to be made. */
const UNBEGUN = 'notes.unbegun';
const FIRST_COMMIT_TIMEOUT_MS = 600_000;

export interface Author {
  readonly name: string;
  readonly email: string;
}

export interface Head {
  /** Undefined before the first commit. */
  readonly commit: string | undefined;
  /** Such as `refs/heads/main`; undefined where HEAD is detached. */
  readonly ref: string | undefined;
}

/** What the first commit does not contain. */
export interface NotAdded {
  /** Git's message when it could not add everything. */
  readonly message?: string;
  /** The paths whose conversion is not possible, each with the reason. */
  readonly unfiltered: ReadonlyMap<string, string>;
}

/**
 * A new repository starts with one commit of all files as they were before the first change:
 * `alone` is requested synchronously, ahead of later changes. The repository appears in one rename
 * with `notes.unbegun` set, so that after a crash the first commit is still made.
 */
export async function ensureRepository(
  git: GitProcess,
  root: string,
  author: Author,
  alone: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<NotAdded> {
  const found = lstatSync(join(root, '.git'), { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) throw new Error('.git is a symbolic link; links are not followed');
  let notAdded: NotAdded;
  if (found === undefined) {
    notAdded = await alone(async () => {
      await makeRepository(root);
      await exclude(git, root);
      return stageAll(git);
    });
  } else {
    await exclude(git, root);
    const { exitCode } = await git.ask(['config', '--get', UNBEGUN], { answers: [1] });
    if (exitCode === 1) return { unfiltered: new Map() };
    notAdded = await alone(() => stageAll(git));
  }
  const identity = ['-c', `user.name=${author.name}`, '-c', `user.email=${author.email}`];
  const commit = ['commit', '-q', '--allow-empty', '--no-verify', '--no-gpg-sign'];
  const message = ['-m', 'notes: history begins'];
  await git.run([...identity, ...commit, ...message], { timeoutMs: FIRST_COMMIT_TIMEOUT_MS });
  await git.run(['config', '--unset', UNBEGUN]);
  return notAdded;
}

/** It may disappear while the server runs, for example when the vault is replaced. */
export function hasRepository(root: string): boolean {
  return existsSync(join(root, '.git'));
}

async function stageAll(git: GitProcess): Promise<NotAdded> {
  const message = await addAll(git);
  const staged = (await git.run(['ls-files', '-z'])).toString().split('\0').filter(Boolean);
  const { unfiltered } = await conversions(git, staged);
  const input = Buffer.from([...unfiltered.keys()].map((path) => `${path}\0`).join(''));
  await git.run(['update-index', '-z', '--force-remove', '--stdin'], { input });
  return { unfiltered, ...(message !== undefined && { message }) };
}

/** One name that git refuses, or a nested empty repository, must not exclude all other files. */
async function addAll(git: GitProcess): Promise<string | undefined> {
  const add = ['add', '--all'];
  try {
    await git.run(add, { timeoutMs: FIRST_COMMIT_TIMEOUT_MS });
    return undefined;
  } catch (error) {
    if (!(error instanceof GitFailure) || error.exitCode !== 128) throw error;
    await git.run([...add, '--ignore-errors'], {
      timeoutMs: FIRST_COMMIT_TIMEOUT_MS,
      answers: [1],
    });
    return error.message;
  }
}

async function makeRepository(root: string): Promise<void> {
  const temporary = join(root, '.notes/new-repository');
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { recursive: true });
  const git = new GitProcess(temporary);
  await git.run(['init', '-q', '--template=', '--initial-branch=main']);
  await git.run(['config', UNBEGUN, 'true']);
  await rename(join(temporary, '.git'), join(root, '.git'));
  await rm(temporary, { recursive: true, force: true });
}

/** Sets `origin` for the owner's `git pull`; an existing one stays. */
export async function ensureOrigin(git: GitProcess, remote: string): Promise<void> {
  const { exitCode } = await git.ask(['config', '--get', 'remote.origin.url'], { answers: [1] });
  if (exitCode === 1) await git.run(['remote', 'add', '--end-of-options', 'origin', remote]);
}

export async function readHead(git: GitProcess): Promise<Head> {
  const [commit, ref] = await Promise.all([
    headCommit(git),
    git.ask(['symbolic-ref', '-q', 'HEAD'], { answers: [1] }),
  ]);
  return { commit, ref: word(ref.stdout) };
}

/** Undefined before the first commit; throws if HEAD is damaged. */
export async function headCommit(git: GitProcess): Promise<string | undefined> {
  const { stdout } = await git.ask(['rev-parse', '--verify', '-q', 'HEAD'], { answers: [1] });
  const commit = word(stdout);
  // Before the first commit HEAD names a missing branch. A damaged HEAD names none, which throws.
  if (commit === undefined) await git.run(['symbolic-ref', '-q', 'HEAD']);
  return commit;
}

/**
 * The commit of HEAD, read from the files of the repository without a process, if that is possible.
 */
export function headFromFiles(root: string): string | undefined {
  const read = (name: string) => readFileSync(join(root, '.git', name), 'utf8');
  try {
    const head = read('HEAD').trim();
    const ref = /^ref: (refs\/heads\/.+)$/.exec(head)?.[1];
    if (ref === undefined) return COMMIT_ID.exec(head)?.[0];
    if (existsSync(join(root, '.git', ref))) return COMMIT_ID.exec(read(ref).trim())?.[0];
    const packed = read('packed-refs').split('\n');
    return packed.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0];
  } catch {
    return undefined;
  }
}

/** Runs a command on HEAD; empty before the first commit, when git exits as for any error. */
export async function ofHead(git: GitProcess, args: readonly string[]): Promise<Buffer> {
  try {
    return await git.run(args);
  } catch (error) {
    const mayBeEmpty = error instanceof GitFailure && error.exitCode === 128;
    if (mayBeEmpty && (await headCommit(git)) === undefined) return Buffer.alloc(0);
    throw error;
  }
}

/** The path of a repository file; a linked work tree keeps them in two folders. */
export async function gitPath(git: GitProcess, root: string, name: string): Promise<string> {
  return resolve(root, await git.text(['rev-parse', '--git-path', name]));
}

async function exclude(git: GitProcess, root: string): Promise<void> {
  const file = await gitPath(git, root, 'info/exclude');
  const present = await readFile(file, 'utf8').catch((error) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  });
  const lines = new Set(present.split('\n'));
  const missing = EXCLUDED.filter((line) => !lines.has(line));
  if (missing.length === 0) return;
  const end = present === '' || present.endsWith('\n') ? '' : '\n';
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, `${present}${end}${missing.join('\n')}\n`);
}

function word(stdout: Buffer): string | undefined {
  return stdout.toString().trim() || undefined;
}
