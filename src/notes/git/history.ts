/**
 * Reads the git history of a vault. Prevents argument injection (CWE-88): a revision is a full
 * commit id, never an option, a range or a revision expression, and paths are literal `VaultPath`s.
 */
import { StorageError } from '../files/storage-error.ts';
import { MAX_FILE_BYTES } from '../files/stored-file.ts';
import { pathProblem, type VaultPath } from '../files/vault-path.ts';
import { CHANGE_TRAILER } from './git-commit.ts';
import { GitFailure, type GitProcess } from './git-process.ts';
import { COMMIT_ID, ofHead } from './git-repository.ts';

export interface Revision {
  readonly commit: string;
  readonly at: Date;
  readonly author: string;
  readonly subject: string;
  /** Null for a commit that the server did not make. */
  readonly changeId: string | null;
  /** The note's path in that commit; absent for the history of the whole vault. */
  readonly path?: VaultPath;
}

/** How a file differs between two commits. */
export interface ChangedPath {
  readonly path: VaultPath;
  readonly status: 'added' | 'removed' | 'changed' | 'moved';
  readonly from?: VaultPath;
}

interface Logged {
  readonly revision: Revision;
  /** Git's status letter for the requested path in that commit. */
  readonly status: string | undefined;
}

export interface RevisionQuery {
  readonly path?: VaultPath;
  readonly limit: number;
  readonly skip?: number;
}

const STATUSES: Readonly<Record<string, ChangedPath['status']>> = {
  A: 'added',
  C: 'added',
  D: 'removed',
};
/** By the length of an id: SHA-1 and SHA-256. */
const EMPTY_TREE: Readonly<Record<number, string>> = {
  40: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  64: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
};
/** With `core.autocrlf=true` git would return CRLF where LF was written. */
const AS_WRITTEN = ['-c', 'core.autocrlf=input'];
/** How many revisions are searched for an older name of a note. */
const MAX_FOLLOWED = 1000;
const FIELDS = ['%H', '%ct', '%an', '%s', `%(trailers:key=${CHANGE_TRAILER},valueonly,separator=)`];
const FORMAT = `--format=%x1e${FIELDS.join('%x1f')}%x1f`;

export class History {
  readonly #git: GitProcess;

  constructor(git: GitProcess) {
    this.#git = git;
  }

  /** Newest first; follows a note through its renames. */
  async revisions({ path, limit, skip = 0 }: RevisionQuery): Promise<Revision[]> {
    const most = skip + limit;
    const found =
      path === undefined
        ? (await this.#log('HEAD', most)).map(({ revision }) => revision)
        : await this.#ofNote(path, most);
    return found.slice(skip);
  }

  /** As `fileAt`, also for a note that has been renamed since. */
  async noteAt(path: VaultPath, revision: string): Promise<Buffer> {
    try {
      return await this.fileAt(path, revision);
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'revision_not_found') throw error;
      const revisions = await this.revisions({ path, limit: MAX_FOLLOWED });
      const then = revisions.find(({ commit }) => commit === revision)?.path;
      if (then === undefined || then === path) throw error;
      return this.fileAt(then, revision);
    }
  }

  /**
   * The file of a commit as a checkout would write it, with filters and attributes such as `eol`,
   * but without line ends that the note never had.
   */
  async fileAt(path: VaultPath, revision: string): Promise<Buffer> {
    const object = `${this.#commit(revision)}:${path}`;
    try {
      const bytes = Number(await this.#git.text(['cat-file', '-s', object]));
      if (bytes > MAX_FILE_BYTES) {
        throw new StorageError(
          'too_large',
          `the note has ${bytes} bytes in that revision, more than the ${MAX_FILE_BYTES} that can be read`,
          {
            path,
          },
        );
      }
      return await this.#git.run([...AS_WRITTEN, 'cat-file', '--filters', object]);
    } catch (error) {
      if (error instanceof GitFailure) throw revisionNotFound(revision, path);
      throw error;
    }
  }

  /** The unified diff of two commits, for some files or the whole vault. */
  async difference(from: string, to: string, ...paths: readonly VaultPath[]): Promise<string> {
    return (await this.#diff(from, to, [], paths)).toString();
  }

  /** The files that differ between two commits, without hidden ones. */
  async changed(from: string, to: string): Promise<ChangedPath[]> {
    const names = (await this.#diff(from, to, ['--name-status', '-z'], [])).toString().split('\0');
    const changed: ChangedPath[] = [];
    for (let at = 0; at + 1 < names.length; ) {
      const letter = names[at++]![0]!;
      const old = names[at++]!;
      const path = letter === 'R' || letter === 'C' ? names[at++]! : old;
      if (letter === 'R') changed.push(...movedPath(old, path));
      else if (isVisible(path)) changed.push({ path, status: STATUSES[letter] ?? 'changed' });
    }
    return changed;
  }

  /** The parent of a commit; for the first commit, the empty tree. */
  async before(revision: string): Promise<string> {
    const parent = `${this.#commit(revision)}^`;
    const known = ['rev-parse', '--verify', '-q', '--end-of-options', parent];
    const { stdout } = await this.#git.ask(known, { answers: [1, 128] });
    return stdout.toString().trim() || this.emptyTree(revision.length);
  }

  emptyTree(length: number): string {
    return EMPTY_TREE[length]!;
  }

  /** The last commit made before a moment; null if there is none. */
  async commitBefore(ms: number): Promise<string | null> {
    const before = `--before=${new Date(ms).toISOString()}`;
    const found = await ofHead(this.#git, ['rev-list', '--max-count=1', before, 'HEAD', '--']);
    return found.toString().trim() || null;
  }

  async commitOf(changeId: string): Promise<string | null> {
    // A subject ends in the path of a note, which may contain the text of a trailer.
    const wanted = `--grep=^${CHANGE_TRAILER}: ${changeId}$`;
    const log = ['log', wanted, '--max-count=1', '--format=%H', 'HEAD', '--'];
    return (await ofHead(this.#git, log)).toString().trim() || null;
  }

  /**
   * Follows renames itself, because `--follow` takes a note for a copy of any similar one. Only a
   * file that was removed in the same commit counts as the old name.
   */
  async #ofNote(path: VaultPath, most: number, from = 'HEAD'): Promise<Revision[]> {
    const found: Revision[] = [];
    for (const { revision, status } of await this.#log(from, most, path)) {
      found.push({ ...revision, path });
      const before = status === 'A' ? await this.#nameBefore(revision.commit, path) : undefined;
      if (before === undefined) continue;
      const older = await this.#ofNote(before, most - found.length, `${revision.commit}^`);
      return [...found, ...older];
    }
    return found;
  }

  /** The commits from one on, newest first; with a path, its commits and their status letters. */
  async #log(from: string, most: number, path?: VaultPath): Promise<Logged[]> {
    const ofPath = path === undefined ? [] : ['--no-follow', '--no-renames', '--name-status'];
    const options = ['-z', ...ofPath, `--max-count=${most}`, FORMAT, '--no-show-signature'];
    const paths = path === undefined ? [] : [path];
    const logged = await ofHead(this.#git, ['log', ...options, from, '--', ...paths]);
    return logged.toString().split('\x1e').slice(1).map(readLogged);
  }

  /** The old name of a note that a commit added by a rename, unless that was hidden. */
  async #nameBefore(commit: string, path: VaultPath): Promise<VaultPath | undefined> {
    const renames = ['-r', '-z', '-M', '--diff-filter=R', '--name-status', '--no-commit-id'];
    const names = (await this.#git.run(['diff-tree', ...renames, commit])).toString().split('\0');
    for (let at = 0; at + 2 < names.length; at += 3) {
      const before = names[at + 1]!;
      if (names[at + 2] === path && isVisible(before)) return before;
    }
    return undefined;
  }

  async #diff(
    from: string,
    to: string,
    form: readonly string[],
    paths: readonly VaultPath[],
  ): Promise<Buffer> {
    const options = ['--no-ext-diff', '--no-textconv', '--no-color', '-M', ...form];
    const range = [this.#commit(from), this.#commit(to)];
    try {
      return await this.#git.run(['diff', ...options, ...range, '--', ...paths]);
    } catch (error) {
      if (error instanceof GitFailure) throw revisionNotFound(`${from}, ${to}`, paths[0]);
      throw error;
    }
  }

  #commit(revision: string): string {
    if (COMMIT_ID.test(revision)) return revision;
    throw revisionNotFound(revision);
  }
}

function readLogged(record: string): Logged {
  const [commit, seconds, author, subject, changeId, names] = record.split('\x1f');
  const revision = {
    commit: commit!,
    at: new Date(Number(seconds) * 1000),
    author: author!,
    subject: subject!,
    changeId: changeId || null,
  };
  return { revision, status: /[A-Z]/.exec(names ?? '')?.[0] };
}

function isVisible(path: string): path is VaultPath {
  return pathProblem(path) === undefined;
}

/** A move out of a hidden folder counts as an addition, one into it as a removal. */
function movedPath(from: string, path: string): ChangedPath[] {
  if (isVisible(path)) {
    return [isVisible(from) ? { path, status: 'moved', from } : { path, status: 'added' }];
  }
  return isVisible(from) ? [{ path: from, status: 'removed' }] : [];
}

function revisionNotFound(revision: string, path?: string): StorageError {
  return new StorageError(
    'revision_not_found',
    path === undefined
      ? 'no commit has this id; note_history lists the full commit ids'
      : `"${path}" is in no commit with this id; note_history with this path lists its commits`,
    { revision: revision.slice(0, 200), ...(path !== undefined && { path }) },
  );
}
