/**
 * Running the `git` program on one vault so that nothing in the vault, its repository or the
 * environment makes it do more than was asked: hooks and monitors off, no prompt, no pager, no
 * editor, no foreign configuration, pathspecs taken literally, no repository above the vault found
 * by accident. Arguments are never passed through a shell.
 *
 * A token goes over a pipe (descriptor 3) from which git's credential helper reads it, so it is in
 * no argument, no environment, no URL and no file. Redirects are off, and the helper is bound to
 * the origin of the remote, so no other host is ever offered it.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { Redactor } from '../../core/redactor/redactor.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { GitStderr } from './git-stderr.ts';

export class GitFailure extends Error {
  /** Undefined when git was stopped, such as for taking too long, or could not be started. */
  readonly exitCode: number | undefined;

  constructor(exitCode: number | undefined, message: string) {
    super(message);
    this.name = 'GitFailure';
    this.exitCode = exitCode;
  }
}

export interface GitCall {
  readonly input?: Uint8Array;
  readonly timeoutMs?: number;
  /** Exit codes that are an answer, not a failure; 0 always is. */
  readonly answers?: readonly number[];
  /** Ends git, and whatever it started. */
  readonly signal?: AbortSignal;
  /** Hand the token to whoever asks for the credentials of this origin. */
  readonly credentialsFor?: { readonly origin: string; readonly username: string };
}

export interface GitAnswer {
  readonly exitCode: number;
  readonly stdout: Buffer;
}

const TIMEOUT_MS = 60_000;
/** More than any answer takes that a tool gives, and less than the longest string. */
const MAX_STDOUT = 256 * 1024 * 1024;
const STOPPED = 'git was stopped with the server';
/** Prints what stands on descriptor 3, and only when git wants to read a credential. */
const HELPER = '!f() { test "$1" = get && cat <&3; }; f';
const PASSED_ON = /^(PATH|HOME|TMPDIR|SSH_AUTH_SOCK|SSL_CERT_(FILE|DIR)|(https?|no|all)_proxy)$/i;

export class GitProcess {
  readonly #root: string;
  readonly #token: Secret | undefined;
  readonly #redactor: Redactor;

  constructor(root: string, token?: Secret) {
    this.#root = root;
    this.#token = token;
    this.#redactor = Redactor.of(token ? [token] : []);
  }

  /** Standard output of a call that succeeded. */
  async run(args: readonly string[], call: GitCall = {}): Promise<Buffer> {
    return (await this.ask(args, call)).stdout;
  }

  async text(args: readonly string[], call: GitCall = {}): Promise<string> {
    return (await this.run(args, call)).toString().trim();
  }

  ask(args: readonly string[], call: GitCall = {}): Promise<GitAnswer> {
    if (call.signal?.aborted) return Promise.reject(new GitFailure(undefined, STOPPED));
    const { promise, resolve, reject } = Promise.withResolvers<GitAnswer>();
    const child = spawn('git', [...literal(args), ...this.#config(call), ...args], {
      cwd: this.#root,
      env: environment(this.#root),
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      // A group of its own: what git starts for a remote ends with it, and Ctrl-C ends neither.
      detached: true,
    });
    let stopped: string | undefined;
    const stop = (reason: string) => {
      stopped ??= reason;
      endGroup(child.pid);
      // What has left the group may hold the other ends for as long as it likes.
      for (const stream of child.stdio) stream?.destroy();
    };
    const abort = () => stop(STOPPED);
    call.signal?.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(() => stop('git took too long'), call.timeoutMs ?? TIMEOUT_MS);
    const stdout: Buffer[] = [];
    let bytes = 0;
    const gather = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_STDOUT) stdout.push(chunk);
      else stop(`git wrote more than ${MAX_STDOUT} bytes`);
    };
    const words = new GitStderr(this.#redactor);
    child.on('error', (error) => {
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', abort);
      reject(new GitFailure(undefined, `git cannot be run: ${error.message}`));
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', abort);
      if (stopped !== undefined) {
        reject(new GitFailure(undefined, stopped));
      } else if (code !== null && (code === 0 || call.answers?.includes(code))) {
        resolve({ exitCode: code, stdout: Buffer.concat(stdout) });
      } else {
        reject(new GitFailure(code ?? undefined, words.text() || `git ended with ${code}`));
      }
    });
    // Without descriptors left there are no streams; the error that follows tells.
    const [input, , , credentials] = (child.stdio as typeof child.stdio | undefined) ?? [];
    child.stdout?.on('data', gather);
    child.stderr?.on('data', (chunk: Buffer) => words.add(chunk));
    send(input, call.input ?? Buffer.alloc(0));
    send(credentials, this.#credentials(call));
    return promise;
  }

  #credentials({ credentialsFor }: GitCall): string {
    if (credentialsFor === undefined || this.#token === undefined) return '';
    return `username=${credentialsFor.username}\npassword=${this.#token.reveal()}\n`;
  }

  #config({ credentialsFor }: GitCall): string[] {
    const settings = [
      `safe.directory=${this.#root}`,
      'core.hooksPath=/dev/null',
      'core.fsmonitor=false',
      'core.askPass=',
      'core.quotePath=false',
      'credential.helper=',
      'http.followRedirects=false',
      'http.lowSpeedLimit=1',
      'http.lowSpeedTime=30',
      'gc.autoDetach=false',
      'maintenance.auto=false',
    ];
    if (credentialsFor !== undefined && this.#token !== undefined) {
      settings.push(`credential.${credentialsFor.origin}.helper=${HELPER}`);
    }
    const options = settings.flatMap((setting) => ['-c', setting]);
    return ['--no-pager', '--no-optional-locks', ...options];
  }
}

/** One command knows no literal pathspecs; its paths start with `./`, which rules magic out. */
function literal([command]: readonly string[]): string[] {
  return command === 'check-ignore' ? [] : ['--literal-pathspecs'];
}

/** A git that ends before it has read everything must not end us. */
function send(pipe: unknown, content: string | Uint8Array): void {
  if (!(pipe instanceof Writable)) return;
  pipe.on('error', () => {});
  pipe.end(content);
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

function environment(root: string): NodeJS.ProcessEnv {
  const passed = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name));
  return {
    ...Object.fromEntries(passed),
    GIT_DIR: join(root, '.git'),
    GIT_WORK_TREE: root,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_EDITOR: 'false',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
    GIT_ALLOW_PROTOCOL: 'http:https:ssh:git:file',
    LC_ALL: 'C',
    TZ: 'UTC',
  };
}
