/**
 * The git history of a vault: a queue, one commit per change, and pushes if there is a remote.
 *
 * Commits are made after the answer to the caller and never fail a write. Changes that arrive while
 * git runs are committed in one batch, each as a separate commit. A failure is reported in `state`
 * and retried with exponential backoff; after a restart the journal gives the uncommitted changes.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { describeError, type Log } from '../../core/log/log.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { comparePositions } from '../changes/change-id.ts';
import type { AppliedChange } from '../changes/change-types.ts';
import type { Journal } from '../changes/journal.ts';
import {
  type CommittedPath,
  commitChanges,
  LeftOut,
  nextBatch,
  updateIndex,
} from './git-commit.ts';
import { cleanUpAfterFailure } from './git-leftovers.ts';
import { allProblems } from './git-problem.ts';
import { GitProcess } from './git-process.ts';
import { GitPush, NO_REMOTE, type PushStatus } from './git-push.ts';
import {
  type Author,
  ensureOrigin,
  ensureRepository,
  hasRepository,
  headFromFiles,
  readHead,
} from './git-repository.ts';
import { readCommitCursor, uncommittedChanges, writeCommitCursor } from './git-uncommitted.ts';

export interface GitOptions {
  readonly root: string;
  readonly journal: Journal;
  /** Runs while no change is running, so that the first commit sees no partial change. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  readonly author: Author;
  readonly remote?: string | undefined;
  readonly token?: Secret | undefined;
  readonly log: Log;
  readonly now: () => number;
  /** The first pause after a failure; it doubles with each further one. */
  readonly retryMs: number;
}

export interface GitState extends Readonly<Omit<PushStatus, 'state'>> {
  readonly head: string | null;
  /** Changes that are not committed yet. */
  readonly pending: number;
  readonly push: PushStatus['state'];
}

const MAX_QUEUED = 1000;
const MAX_REMEMBERED_COMMITS = 1000;
const MAX_BACKOFF = 60;
const COMMITS_PER_GC = 1000;
/** Under load, batches are this far apart. */
const BATCH_PAUSE_MS = 300;

export class Git {
  readonly process: GitProcess;
  readonly #options: GitOptions;
  readonly #push: GitPush | undefined;
  readonly #queue: AppliedChange[] = [];
  /** The journal has uncommitted changes that are not in the queue. */
  #isBehind = true;
  #prepared = false;
  readonly #commits = new Map<string, string | null>();
  #staleIndexPaths = new Map<string, CommittedPath>();
  #head: string | null = null;
  readonly #leftOut: LeftOut;
  #lastError: string | null = null;
  #failures = 0;
  /** The first commit runs gc, in case many short runs have left loose objects. */
  #commitsSinceGc = COMMITS_PER_GC;
  #gc: Promise<void> | undefined;
  #gcError: string | null = null;
  readonly #stopGc = new AbortController();
  #working: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(options: GitOptions) {
    this.#options = options;
    this.#leftOut = new LeftOut(options.log);
    this.process = new GitProcess(options.root, options.token);
    if (options.remote !== undefined) {
      const { remote, log, now, retryMs } = options;
      this.#push = new GitPush(this.process, { remote, log, now, retryMs });
    }
  }

  /** Returns at once; a missing repository is created in the background. */
  static open(options: GitOptions): Git {
    const git = new Git(options);
    git.#wake();
    return git;
  }

  commit(change: AppliedChange): void {
    if (change.changeId === null) return;
    if (this.#queue.length >= MAX_QUEUED) this.#isBehind = true;
    else if (!this.#isKnown(change.changeId)) this.#queue.push(change);
    if (this.#timer === undefined) this.#wake();
  }

  /** The commit of a change; null while there is none and if its paths are ignored. */
  commitOf(changeId: string): string | null {
    return this.#commits.get(changeId) ?? null;
  }

  state(): GitState {
    this.#noticeHead();
    const { state, ...push } = this.#push?.status() ?? NO_REMOTE;
    const [pending, commit] = [this.#queue.length, this.#lastError];
    return {
      ...push,
      head: this.#head,
      pending,
      // A change that is not committed yet is not pushed yet.
      push: pending > 0 && state === 'ok' ? 'queued' : state,
      lastError: allProblems([commit, this.#leftOut.message(), push.lastError, this.#gcError]),
    };
  }

  /** Resolves when every change so far is committed, or the next attempt has failed. */
  async settled(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  /** Resolves after the next push, whether it succeeds or fails. */
  async pushAttempted(): Promise<void> {
    await this.#push?.attempted();
  }

  async close(): Promise<void> {
    this.#wake();
    await this.settled();
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#stopGc.abort();
    await Promise.all([this.#push?.close(), this.#gc]);
  }

  /** Commits made by others are shown and pushed, too. */
  #noticeHead(): void {
    if (!this.#prepared || this.#working !== undefined || this.#closed) return;
    const head = headFromFiles(this.#options.root);
    if (head === undefined || head === this.#head) return;
    this.#head = head;
    this.#push?.request(0);
  }

  #isKnown(changeId: string): boolean {
    return (
      this.#commits.has(changeId) || this.#queue.some((queued) => queued.changeId === changeId)
    );
  }

  #wake(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#closed) return;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      if (this.#queue.length > 0 && this.#timer === undefined) this.#wake();
    });
  }

  async #work(): Promise<void> {
    const begun = this.#options.now();
    try {
      if (!this.#prepared) await this.#prepare();
      do {
        if (this.#isBehind) await this.#queueUncommitted();
        await this.#commitBatch();
        await this.#writeCursor();
        if (this.#queue.length > 0) await delay(BATCH_PAUSE_MS);
      } while (this.#queue.length > 0 || this.#isBehind);
      await this.#updateIndex();
      await this.#writeCursor();
      this.#failures = 0;
      this.#lastError = null;
    } catch (error) {
      await this.#fail(error, begun);
    }
  }

  async #prepare(): Promise<void> {
    const { root, author, remote, alone, log } = this.#options;
    const { message, unfiltered } = await ensureRepository(this.process, root, author, alone);
    if (message !== undefined) log.warn('git_left_out', { message });
    this.#leftOut.add(unfiltered);
    if (remote !== undefined) await ensureOrigin(this.process, remote);
    this.#prepared = true;
    this.#head = (await readHead(this.process)).commit ?? null;
    this.#push?.request(0);
  }

  /** Queues the journaled changes that the history does not have. */
  async #queueUncommitted(): Promise<void> {
    const { root, journal } = this.#options;
    const from = (await readCommitCursor(root)) ?? { segment: 0, offset: 0 };
    this.#isBehind = false;
    const { changes, committed, paths } = await uncommittedChanges(
      this.process,
      journal,
      root,
      from,
    );
    for (const path of paths) this.#staleIndexPaths.set(path.path, path);
    const queued = this.#queue.splice(0);
    const known = new Set([...this.#commits.keys(), ...queued.map(({ changeId }) => changeId)]);
    const all = [...queued, ...changes.filter(({ changeId }) => !known.has(changeId))];
    const due = all.filter(({ changeId }) => !committed.has(changeId!));
    this.#queue.push(...due.sort((a, b) => comparePositions(a.changeId!, b.changeId!)));
  }

  async #commitBatch(): Promise<void> {
    const { author, now } = this.#options;
    const batch = nextBatch(this.#queue);
    if (batch.length === 0) return;
    const { commits, paths, leftOut } = await commitChanges(this.process, batch, author, now());
    this.#queue.splice(0, batch.length);
    for (const [index, { changeId }] of batch.entries()) {
      this.#remember(changeId!, commits[index] ?? null);
    }
    for (const path of paths) {
      this.#staleIndexPaths.set(path.path, path);
      this.#leftOut.remove(path.path);
    }
    this.#leftOut.add(leftOut);
    const made = commits.filter((commit) => commit !== undefined);
    this.#head = made.at(-1) ?? this.#head;
    this.#push?.request(made.length);
    this.#collectGarbage(made.length);
    await this.#updateIndex().catch(() => {});
  }

  /** Every change before the cursor is committed, and the index is up to date with it. */
  async #writeCursor(): Promise<void> {
    if (this.#isBehind || this.#staleIndexPaths.size > 0) return;
    const { root, journal } = this.#options;
    await writeCommitCursor(root, journal.settled(this.#queue.map(({ changeId }) => changeId!)));
  }

  async #updateIndex(): Promise<void> {
    if (this.#staleIndexPaths.size === 0) return;
    await updateIndex(this.process, [...this.#staleIndexPaths.values()]);
    this.#staleIndexPaths.clear();
  }

  async #fail(error: unknown, begun: number): Promise<void> {
    const { root, log, now, retryMs } = this.#options;
    const pause = retryMs * Math.min(2 ** this.#failures, MAX_BACKOFF);
    this.#failures++;
    this.#isBehind = true;
    this.#prepared &&= hasRepository(root);
    this.#lastError = describeError(error);
    log.warn('git_commit_failed', { message: this.#lastError, retry_ms: pause });
    const locks = await cleanUpAfterFailure(this.process, root, begun, now());
    if (locks.length > 0) log.warn('git_lock_removed', { locks });
    if (this.#closed) return;
    this.#timer = setTimeout(() => this.#wake(), locks.length > 0 ? 0 : pause);
    this.#timer.unref();
  }

  #remember(changeId: string, commit: string | null): void {
    this.#commits.set(changeId, commit);
    if (this.#commits.size <= MAX_REMEMBERED_COMMITS) return;
    const [oldest] = this.#commits.keys();
    this.#commits.delete(oldest!);
  }

  /** Runs concurrently with commits. A stop aborts it; git removes its remains at the next gc. */
  #collectGarbage(commits: number): void {
    this.#commitsSinceGc += commits;
    if (this.#commitsSinceGc < COMMITS_PER_GC || this.#gc !== undefined) return;
    this.#commitsSinceGc = 0;
    const { signal } = this.#stopGc;
    this.#gc = this.process
      .run(['gc', '--auto', '--quiet'], { timeoutMs: 600_000, signal })
      .then(() => {
        this.#gcError = null;
      })
      .catch((error) => {
        if (signal.aborted) return;
        this.#gcError = `git gc failed: ${describeError(error)}`;
        this.#options.log.warn('git_gc_failed', { message: this.#gcError });
      })
      .finally(() => {
        this.#gc = undefined;
      });
  }
}
