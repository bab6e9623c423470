/**
 * Pushes to the remote: at once after a commit, with all commits so far. A push failure is reported
 * in `status` and retried with exponential backoff until it succeeds. It changes nothing locally,
 * and the server never pulls or forces.
 */
import { describeError, type Log } from '../../core/log/log.ts';
import type { GitProcess } from './git-process.ts';
import { readHead } from './git-repository.ts';

type PushState = 'off' | 'queued' | 'ok' | 'failing';

export interface PushStatus {
  state: PushState;
  unpushed: number;
  /** Successful and failed attempts since the start. */
  pushes: number;
  failedPushes: number;
  lastPush: Date | null;
  lastError: string | null;
}

/** The status without a remote. */
export const NO_REMOTE: Readonly<PushStatus> = {
  state: 'off',
  unpushed: 0,
  pushes: 0,
  failedPushes: 0,
  lastPush: null,
  lastError: null,
};

export interface PushOptions {
  readonly remote: string;
  readonly log: Log;
  readonly now: () => number;
  /** The first pause after a failure; it doubles up to 60 times this. */
  readonly retryMs: number;
}

const PUSH_TIMEOUT_MS = 120_000;
const CLOSE_TIMEOUT_MS = 3_000;
const MAX_BACKOFF = 60;
/** Overrides repository settings that would push more than the branch. */
const ONLY_THE_BRANCH = ['--quiet', '--no-verify', '--recurse-submodules=no', '--no-follow-tags'];
const USERNAME = 'x-access-token';

export class GitPush {
  readonly #git: GitProcess;
  readonly #options: PushOptions;
  readonly #status: PushStatus = { ...NO_REMOTE, state: 'queued' };
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;
  readonly #abort = new AbortController();
  readonly #onAttempt: (() => void)[] = [];

  constructor(git: GitProcess, options: PushOptions) {
    this.#git = git;
    this.#options = options;
  }

  status(): Readonly<PushStatus> {
    return this.#status;
  }

  /** Starts a push, or leaves it to the retry while the remote fails. */
  request(commits: number): void {
    this.#status.unpushed += commits;
    if (this.#status.state === 'ok') this.#status.state = 'queued';
    if (this.#timer === undefined) this.#start();
  }

  /** Resolves after the next attempt, whether it succeeds or fails. */
  attempted(): Promise<void> {
    return new Promise((resolve) => this.#onAttempt.push(resolve));
  }

  /** Gives a running push a moment to finish; the next start pushes the rest. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const timeout = setTimeout(() => this.#abort.abort(), CLOSE_TIMEOUT_MS);
    await this.#running;
    clearTimeout(timeout);
  }

  #start(): void {
    if (this.#closed) return;
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#running = this.#attempt().finally(() => {
      this.#running = undefined;
      for (const wake of this.#onAttempt.splice(0)) wake();
      if (this.#again) this.#start();
    });
  }

  async #attempt(): Promise<void> {
    const { log, now, retryMs } = this.#options;
    try {
      await this.#push();
      if (this.#failures > 0) log.info('git_push_recovered');
      this.#failures = 0;
      this.#status.pushes++;
      this.#status.lastPush = new Date(now());
      this.#status.lastError = null;
      this.#status.state = this.#again ? 'queued' : 'ok';
    } catch (error) {
      this.#status.state = 'failing';
      this.#status.lastError = describeError(error);
      const pause = retryMs * Math.min(2 ** this.#failures, MAX_BACKOFF);
      this.#failures++;
      this.#status.failedPushes++;
      this.#again = false;
      log.warn('git_push_failed', { message: this.#status.lastError, retry_ms: pause });
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#start();
      }, pause);
      this.#timer.unref();
    }
  }

  async #push(): Promise<void> {
    const { remote } = this.#options;
    const { commit, ref } = await readHead(this.#git);
    if (commit === undefined) return;
    if (ref === undefined) throw new Error('HEAD is detached; check out a branch to push it');
    const tracking = ref.replace(/^refs\/heads\//, 'refs/notes-server/pushed/');
    this.#status.unpushed = await this.#count(tracking, commit);
    const credentials = credentialsOf(remote);
    const { signal } = this.#abort;
    await this.#git.run(
      ['push', ...ONLY_THE_BRANCH, '--end-of-options', remote, `${commit}:${ref}`],
      { timeoutMs: PUSH_TIMEOUT_MS, signal, ...(credentials && { credentialsFor: credentials }) },
    );
    await this.#git.run(['update-ref', tracking, commit]);
    this.#status.unpushed = await this.#count(tracking, 'HEAD');
  }

  async #count(tracking: string, commit: string): Promise<number> {
    const known = await this.#git.ask(['rev-parse', '--verify', '-q', tracking], { answers: [1] });
    const range = known.exitCode === 0 ? [commit, `^${tracking}`] : [commit];
    return Number(await this.#git.text(['rev-list', '--count', ...range, '--']));
  }
}

/** Only http(s) remotes use the token. */
function credentialsOf(remote: string): { origin: string; username: string } | undefined {
  if (!/^https?:/i.test(remote)) return undefined;
  const url = new URL(remote);
  return { origin: url.origin, username: decodeURIComponent(url.username) || USERNAME };
}

/** Why a remote cannot be used; undefined when it can. */
export function remoteProblem(remote: string): string | undefined {
  if (remote.startsWith('-') || /[\0-\x20\x7f]/.test(remote)) {
    return 'the remote is not a URL; give an https, ssh or file URL';
  }
  const helper = /^([a-z0-9+.-]+)::/i.exec(remote);
  const scheme = /^([a-z0-9+.-]+):\/\//i.exec(remote)?.[1]?.toLowerCase();
  if (helper || (scheme && !['http', 'https', 'ssh', 'git', 'file'].includes(scheme))) {
    return 'the remote uses a protocol that is not supported; give an https, ssh or file URL';
  }
  if (scheme && !URL.canParse(remote)) return 'the remote is not a URL; give an https or ssh URL';
  if (scheme && new URL(remote).password !== '') {
    return 'the remote contains a password; set NOTES_GIT_TOKEN instead';
  }
  return undefined;
}
