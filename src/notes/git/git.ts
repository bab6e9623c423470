/**
 * The git history of a vault: one queue, one commit for each change, pushed where there is a remote.
 *
 * Committing happens after the answer to the caller and can never fail a write. Changes that come
 * while git runs are committed together as soon as it is free, each as its own commit. A failure is
 * visible in `state` and tried again; after a restart the journal tells what is still owed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { describeError, type Log } from '../../core/log/log.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { comparePositions } from '../changes/change-id.ts';
import type { AppliedChange } from '../changes/change-types.ts';
import type { Journal } from '../changes/journal.ts';
import { nextBatch } from './git-batch.ts';
import { type CommittedPath, commitChanges, updateIndex } from './git-commit.ts';
import { LeftOut } from './git-left-out.ts';
import { tidyAfterFailure } from './git-leftovers.ts';
import { GitProcess } from './git-process.ts';
import { GitPush, type PushState } from './git-push.ts';
import {
  type Author,
  ensureOrigin,
  ensureRepository,
  glanceAtHead,
  hasRepository,
  readHead,
} from './git-repository.ts';
import { owedChanges, readCommitCursor, writeCommitCursor } from './git-uncommitted.ts';

export interface GitOptions {
  readonly root: string;
  readonly journal: Journal;
  /** Runs while no change is under way, so that the first commit finds no half of one. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  readonly author: Author;
  readonly remote?: string;
  readonly token?: Secret;
  readonly log: Log;
  readonly now: () => number;
  /** The pause after a failure; it grows while failures go on. */
  readonly retryMs: number;
}

export interface GitState {
  readonly head: string | null;
  /** Changes whose commit is still to come. */
  readonly pending: number;
  readonly push: PushState;
  readonly unpushed: number;
  /** Attempts since the start that succeeded, and that failed. */
  readonly pushes: number;
  readonly failedPushes: number;
  readonly lastPush: Date | null;
  readonly lastError: string | null;
}

const MAX_QUEUED = 1000;
const REMEMBERED = 1000;
const MAX_PAUSES = 60;
const COMMITS_PER_GC = 1000;
/** Under load, commits are made this often and several at a time. */
const BATCH_PAUSE_MS = 300;

export class Git {
  readonly process: GitProcess;
  readonly #options: GitOptions;
  readonly #push: GitPush | undefined;
  readonly #queue: AppliedChange[] = [];
  /** Changes that an earlier process left, or that did not fit into the queue, are in the journal. */
  #behind = true;
  #prepared = false;
  readonly #commits = new Map<string, string | null>();
  #indexDebt = new Map<string, CommittedPath>();
  #head: string | null = null;
  readonly #leftOut: LeftOut;
  #lastError: string | null = null;
  #failures = 0;
  /** The first commit looks whether many short runs have left much. */
  #sinceGc = COMMITS_PER_GC;
  #collecting: Promise<void> | undefined;
  readonly #stopCollecting = new AbortController();
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

  /** Returns at once; a repository that must be made first is made in the queue. */
  static open(options: GitOptions): Git {
    const git = new Git(options);
    git.#wake();
    return git;
  }

  /** Takes a change into the queue; it will have its commit, if not now, then later. */
  commit(change: AppliedChange): void {
    if (change.changeId === null) return;
    if (this.#queue.length >= MAX_QUEUED) this.#behind = true;
    else if (!this.#isKnown(change.changeId)) this.#queue.push(change);
    if (this.#timer === undefined) this.#wake();
  }

  /** The commit of a change, or null while it is to come or when its paths are ignored. */
  commitOf(changeId: string): string | null {
    return this.#commits.get(changeId) ?? null;
  }

  state(): GitState {
    this.#noticeHead();
    const push = this.#push?.status();
    const pending = this.#queue.length;
    // A commit that is yet to be made is yet to be pushed.
    const isOwed = pending > 0 && push?.state === 'ok';
    return {
      head: this.#head,
      pending,
      push: isOwed ? 'queued' : (push?.state ?? 'off'),
      unpushed: push?.unpushed ?? 0,
      pushes: push?.pushes ?? 0,
      failedPushes: push?.failedPushes ?? 0,
      lastPush: push?.lastPush ?? null,
      lastError: this.#lastError ?? this.#leftOut.message() ?? push?.lastError ?? null,
    };
  }

  /** Resolves once every change so far has its commit, or the next attempt has failed. */
  async settled(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  /** Resolves after the next attempt to push has ended. */
  async pushAttempted(): Promise<void> {
    await this.#push?.attempted();
  }

  async close(): Promise<void> {
    this.#wake();
    await this.settled();
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#stopCollecting.abort();
    await Promise.all([this.#push?.close(), this.#collecting]);
  }

  /** What somebody else has committed is shown, and pushed, too. */
  #noticeHead(): void {
    if (!this.#prepared || this.#working !== undefined || this.#closed) return;
    const head = glanceAtHead(this.#options.root);
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
        if (this.#behind) await this.#takeOwed();
        await this.#commitBatch();
        await this.#setMark();
        if (this.#queue.length > 0) await delay(BATCH_PAUSE_MS);
      } while (this.#queue.length > 0 || this.#behind);
      await this.#payIndexDebt();
      await this.#setMark();
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

  /** What the journal has and the history has not; a git that outlived its server counts, too. */
  async #takeOwed(): Promise<void> {
    const { root, journal } = this.#options;
    const from = (await readCommitCursor(root)) ?? { segment: 0, offset: 0 };
    this.#behind = false;
    const { owed, committed, paths } = await owedChanges(this.process, journal, root, from);
    for (const path of paths) this.#indexDebt.set(path.path, path);
    const queued = this.#queue.splice(0);
    const known = new Set([...this.#commits.keys(), ...queued.map(({ changeId }) => changeId)]);
    const all = [...queued, ...owed.filter(({ changeId }) => !known.has(changeId))];
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
      this.#indexDebt.set(path.path, path);
      this.#leftOut.remove(path.path);
    }
    this.#leftOut.add(leftOut);
    const made = commits.filter((commit) => commit !== undefined);
    this.#head = made.at(-1) ?? this.#head;
    this.#push?.request(made.length);
    this.#collectGarbage(made.length);
    await this.#payIndexDebt().catch(() => {});
  }

  /** Everything before has its commit, and the index knows of it. */
  async #setMark(): Promise<void> {
    if (this.#behind || this.#indexDebt.size > 0) return;
    const { root, journal } = this.#options;
    await writeCommitCursor(root, journal.settled(this.#queue.map(({ changeId }) => changeId!)));
  }

  async #payIndexDebt(): Promise<void> {
    if (this.#indexDebt.size === 0) return;
    await updateIndex(this.process, [...this.#indexDebt.values()]);
    this.#indexDebt.clear();
  }

  async #fail(error: unknown, begun: number): Promise<void> {
    const { root, log, now, retryMs } = this.#options;
    const pause = retryMs * Math.min(2 ** this.#failures, MAX_PAUSES);
    this.#failures++;
    this.#behind = true;
    this.#prepared &&= hasRepository(root);
    this.#lastError = describeError(error);
    log.warn('git_commit_failed', { message: this.#lastError, retry_ms: pause });
    const locks = await tidyAfterFailure(this.process, root, begun, now());
    if (locks.length > 0) log.warn('git_lock_removed', { locks });
    if (this.#closed) return;
    this.#timer = setTimeout(() => this.#wake(), locks.length > 0 ? 0 : pause);
    this.#timer.unref();
  }

  #remember(changeId: string, commit: string | null): void {
    this.#commits.set(changeId, commit);
    if (this.#commits.size <= REMEMBERED) return;
    const [oldest] = this.#commits.keys();
    this.#commits.delete(oldest!);
  }

  /**
   * What git's own commands do now and then; it runs beside the commits. A stop ends it: what it
   * leaves behind git removes itself the next time.
   */
  #collectGarbage(commits: number): void {
    this.#sinceGc += commits;
    if (this.#sinceGc < COMMITS_PER_GC || this.#collecting !== undefined) return;
    this.#sinceGc = 0;
    const { signal } = this.#stopCollecting;
    this.#collecting = this.process
      .run(['gc', '--auto', '--quiet'], { timeoutMs: 600_000, signal })
      .then(() => {})
      .catch((error) => {
        if (signal.aborted) return;
        this.#options.log.warn('git_gc_failed', { message: describeError(error) });
      })
      .finally(() => {
        this.#collecting = undefined;
      });
  }
}
