/**
 * The repository of a vault: made when there is none, left as its owner has it when there is one.
 * What the server keeps for itself is excluded in `.git/info/exclude`, not in the owner's
 * `.gitignore`.
 */
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { errorCode } from '../files/storage-error.ts';
import { conversions } from './git-conversion.ts';
import { GitFailure, GitProcess } from './git-process.ts';

const EXCLUDED = ['/.notes/index.db*', '/.notes/journal/', '/.notes/trash/', '.~*.tmp'];
export const COMMIT_ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/;
const UNBEGUN = 'notes.unbegun';
const FIRST_COMMIT_MS = 600_000;

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

/** What the first commit is without. */
export interface LeftBehind {
  /** What git said where it could not take everything. */
  readonly message?: string;
  /** The paths that it would have stored in the wrong form, and why. */
  readonly unfiltered: ReadonlyMap<string, string>;
}

/**
 * A repository that we make starts with one commit of everything that is there, as it was before
 * the first change: where there is none, the turn is taken before this returns to its caller. It
 * appears in one rename and remembers that its first commit is still to be made, so that a crash in
 * between does not leave a repository without one.
 */
export async function ensureRepository(
  git: GitProcess,
  root: string,
  author: Author,
  alone: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<LeftBehind> {
  const there = lstatSync(join(root, '.git'), { throwIfNoEntry: false });
  if (there?.isSymbolicLink()) throw new Error('.git is a symbolic link; links are not followed');
  let leftBehind: LeftBehind;
  if (there === undefined) {
    leftBehind = await alone(async () => {
      await makeRepository(root);
      await exclude(git, root);
      return stageAll(git);
    });
  } else {
    await exclude(git, root);
    if (!(await isUnbegun(git))) return { unfiltered: new Map() };
    leftBehind = await alone(() => stageAll(git));
  }
  const identity = ['-c', `user.name=${author.name}`, '-c', `user.email=${author.email}`];
  const commit = ['commit', '-q', '--allow-empty', '--no-verify', '--no-gpg-sign'];
  const message = ['-m', 'notes: history begins'];
  await git.run([...identity, ...commit, ...message], { timeoutMs: FIRST_COMMIT_MS });
  await git.run(['config', '--unset', UNBEGUN]);
  return leftBehind;
}

/** It may be gone while we run: it was removed, or another vault has taken the place of this one. */
export function hasRepository(root: string): boolean {
  return existsSync(join(root, '.git'));
}

async function isUnbegun(git: GitProcess): Promise<boolean> {
  const { exitCode } = await git.ask(['config', '--get', UNBEGUN], { answers: [1] });
  return exitCode === 0;
}

async function stageAll(git: GitProcess): Promise<LeftBehind> {
  const message = await addAll(git);
  const staged = (await git.run(['ls-files', '-z'])).toString().split('\0').filter(Boolean);
  const { unfiltered } = await conversions(git, staged);
  const input = Buffer.from([...unfiltered.keys()].map((path) => `${path}\0`).join(''));
  await git.run(['update-index', '-z', '--force-remove', '--stdin'], { input });
  return { unfiltered, ...(message !== undefined && { message }) };
}

/** One name that git refuses, or a repository without a commit inside, must not keep all else out. */
async function addAll(git: GitProcess): Promise<string | undefined> {
  const add = ['add', '--all'];
  try {
    await git.run(add, { timeoutMs: FIRST_COMMIT_MS });
    return undefined;
  } catch (error) {
    if (!(error instanceof GitFailure) || error.exitCode !== 128) throw error;
    await git.run([...add, '--ignore-errors'], { timeoutMs: FIRST_COMMIT_MS, answers: [1] });
    return error.message;
  }
}

async function makeRepository(root: string): Promise<void> {
  const workshop = join(root, '.notes/new-repository');
  await rm(workshop, { recursive: true, force: true });
  await mkdir(workshop, { recursive: true });
  const git = new GitProcess(workshop);
  await git.run(['init', '-q', '--template=', '--initial-branch=main']);
  await git.run(['config', UNBEGUN, 'true']);
  await rename(join(workshop, '.git'), join(root, '.git'));
  await rm(workshop, { recursive: true, force: true });
}

/** Lets the owner's own `git pull` find the remote; one that he has set stays. */
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

/** Undefined before the first commit; a repository whose HEAD is damaged is a failure. */
export async function headCommit(git: GitProcess): Promise<string | undefined> {
  const { stdout } = await git.ask(['rev-parse', '--verify', '-q', 'HEAD'], { answers: [1] });
  const commit = word(stdout);
  // Before the first commit HEAD names a branch that is not there; one that is broken has no name.
  if (commit === undefined) await git.run(['symbolic-ref', '-q', 'HEAD']);
  return commit;
}

/**
 * The commit of HEAD as the files of the repository have it, which takes no process; undefined where
 * they do not say it plainly.
 */
export function glanceAtHead(root: string): string | undefined {
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

/** What git says of HEAD: nothing before the first commit, for which it has the code of any error. */
export async function ofHead(git: GitProcess, args: readonly string[]): Promise<Buffer> {
  try {
    return await git.run(args);
  } catch (error) {
    const mayBeEmpty = error instanceof GitFailure && error.exitCode === 128;
    if (mayBeEmpty && (await headCommit(git)) === undefined) return Buffer.alloc(0);
    throw error;
  }
}

/** Where a file of the repository lies; that of a linked work tree has two places. */
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
