/**
 * Keeping the remote up to date: a push starts at once after a commit and carries all that has been
 * committed by then; one that fails is repeated after a growing pause until it succeeds. A failing
 * push changes nothing locally, and the server never pulls or forces.
 */
import { describeError, type Log } from '../../core/log/log.ts';
import type { GitProcess } from './git-process.ts';
import { readHead } from './git-repository.ts';

export type PushState = 'off' | 'queued' | 'ok' | 'failing';

export interface PushStatus {
  readonly state: PushState;
  readonly unpushed: number;
  /** Attempts since the start that succeeded, and that failed. */
  readonly pushes: number;
  readonly failedPushes: number;
  readonly lastPush: Date | null;
  readonly lastError: string | null;
}

export interface PushOptions {
  readonly remote: string;
  readonly log: Log;
  readonly now: () => number;
  /** The first pause after a failure; it doubles up to sixty times this. */
  readonly retryMs: number;
}

const PUSH_TIMEOUT_MS = 120_000;
const CLOSE_MS = 3_000;
const MAX_PAUSES = 60;
/** Whatever the repository is set to take along. */
const ONLY_THE_BRANCH = ['--quiet', '--no-verify', '--recurse-submodules=no', '--no-follow-tags'];
const USERNAME = 'x-access-token';

export class GitPush {
  readonly #git: GitProcess;
  readonly #options: PushOptions;
  #state: PushState = 'queued';
  #unpushed = 0;
  #pushes = 0;
  #failedPushes = 0;
  #lastPush: Date | null = null;
  #lastError: string | null = null;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;
  readonly #cut = new AbortController();
  readonly #waiting: (() => void)[] = [];

  constructor(git: GitProcess, options: PushOptions) {
    this.#git = git;
    this.#options = options;
  }

  status(): PushStatus {
    return {
      state: this.#state,
      unpushed: this.#unpushed,
      pushes: this.#pushes,
      failedPushes: this.#failedPushes,
      lastPush: this.#lastPush,
      lastError: this.#lastError,
    };
  }

  /** New commits are there. While the remote fails they wait for the next attempt. */
  request(commits: number): void {
    this.#unpushed += commits;
    if (this.#state === 'ok') this.#state = 'queued';
    if (this.#timer === undefined) this.#start();
  }

  /** Resolves after the next attempt has ended, whatever came of it. */
  attempted(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** A push under way has a moment to end; what it does not carry goes at the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const cut = setTimeout(() => this.#cut.abort(), CLOSE_MS);
    await this.#running;
    clearTimeout(cut);
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
      for (const wake of this.#waiting.splice(0)) wake();
      if (this.#again) this.#start();
    });
  }

  async #attempt(): Promise<void> {
    const { log, now, retryMs } = this.#options;
    try {
      await this.#push();
      if (this.#failures > 0) log.info('git_push_recovered');
      this.#failures = 0;
      this.#pushes++;
      this.#lastPush = new Date(now());
      this.#lastError = null;
      this.#state = this.#again ? 'queued' : 'ok';
    } catch (error) {
      this.#state = 'failing';
      this.#lastError = describeError(error);
      const pause = retryMs * Math.min(2 ** this.#failures, MAX_PAUSES);
      this.#failures++;
      this.#failedPushes++;
      this.#again = false;
      log.warn('git_push_failed', { message: this.#lastError, retry_ms: pause });
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
    this.#unpushed = await this.#count(tracking, commit);
    const credentials = credentialsOf(remote);
    const { signal } = this.#cut;
    await this.#git.run(
      ['push', ...ONLY_THE_BRANCH, '--end-of-options', remote, `${commit}:${ref}`],
      { timeoutMs: PUSH_TIMEOUT_MS, signal, ...(credentials && { credentialsFor: credentials }) },
    );
    await this.#git.run(['update-ref', tracking, commit]);
    this.#unpushed = await this.#count(tracking, 'HEAD');
  }

  async #count(tracking: string, commit: string): Promise<number> {
    const known = await this.#git.ask(['rev-parse', '--verify', '-q', tracking], { answers: [1] });
    const range = known.exitCode === 0 ? [commit, `^${tracking}`] : [commit];
    return Number(await this.#git.text(['rev-list', '--count', ...range, '--']));
  }
}

/** Only over http(s) is a token asked for; ssh and file remotes have their own ways. */
function credentialsOf(remote: string): { origin: string; username: string } | undefined {
  if (!/^https?:/i.test(remote)) return undefined;
  const url = new URL(remote);
  return { origin: url.origin, username: decodeURIComponent(url.username) || USERNAME };
}

/** Why a remote cannot be used, or nothing when it can. */
export function remoteProblem(remote: string): string | undefined {
  if (remote.startsWith('-') || /[\0-\x20\x7f]/.test(remote)) {
    return 'the remote is no URL; give an https, ssh or file URL';
  }
  const helper = /^([a-z0-9+.-]+)::/i.exec(remote);
  const scheme = /^([a-z0-9+.-]+):\/\//i.exec(remote)?.[1]?.toLowerCase();
  if (helper || (scheme && !['http', 'https', 'ssh', 'git', 'file'].includes(scheme))) {
    return 'the remote uses a protocol that is not supported; give an https, ssh or file URL';
  }
  if (scheme && !URL.canParse(remote)) return 'the remote is no URL; give an https or ssh URL';
  if (scheme && new URL(remote).password !== '') {
    return 'the remote holds a password; put it into NOTES_GIT_TOKEN instead';
  }
  return undefined;
}
