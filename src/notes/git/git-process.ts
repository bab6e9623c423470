/**
 * Runs `git` on one vault and prevents command execution through the vault, its repository or the
 * environment: hooks and monitors off, no prompt, pager or editor, no system or global
 * configuration, literal pathspecs, no discovery of a repository above the vault, no shell
 * (CWE-78).
 *
 * Prevents leaks of the token: git's credential helper reads it from a pipe (descriptor 3), so it
 * is in no argument, environment, URL or file. Redirects are off, and the helper is bound to the
 * origin of the remote, so no other host receives it.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { Redactor } from '../../core/redactor/redactor.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { GitStderr } from './git-stderr.ts';

export class GitFailure extends Error {
  /** Undefined when git was stopped, for example by a timeout, or could not be started. */
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
  /** Exit codes besides 0 that are an answer, not a failure. */
  readonly answers?: readonly number[];
  /** Kills git and its child processes. */
  readonly signal?: AbortSignal;
  /** Offer the token as the credential of this origin. */
  readonly credentialsFor?: { readonly origin: string; readonly username: string };
}

export interface GitAnswer {
  readonly exitCode: number;
  readonly stdout: Buffer;
}

const TIMEOUT_MS = 60_000;
/** More than any tool returns, and less than the maximum string length. */
const MAX_STDOUT_BYTES = 256 * 1024 * 1024;
const STOPPED = 'git was stopped with the server';
/** Prints descriptor 3 when git asks for a credential (`get`). */
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

  /** The standard output of a successful call. */
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
      // A separate process group: killed as a whole, and not interrupted by Ctrl-C.
      detached: true,
    });
    let stopped: string | undefined;
    const stop = (reason: string) => {
      stopped ??= reason;
      endGroup(child.pid);
      // A process that has left the group may keep the other ends open.
      for (const stream of child.stdio) stream?.destroy();
    };
    const abort = () => stop(STOPPED);
    call.signal?.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(() => stop('git took too long'), call.timeoutMs ?? TIMEOUT_MS);
    const stdout: Buffer[] = [];
    let bytes = 0;
    const gather = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_STDOUT_BYTES) stdout.push(chunk);
      else stop(`git wrote more than ${MAX_STDOUT_BYTES} bytes`);
    };
    const stderr = new GitStderr(this.#redactor);
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
        reject(new GitFailure(code ?? undefined, stderr.text() || `git ended with ${code}`));
      }
    });
    // When no descriptors are left there are no streams, and 'error' follows.
    const [input, , , credentials] = (child.stdio as typeof child.stdio | undefined) ?? [];
    child.stdout?.on('data', gather);
    child.stderr?.on('data', (chunk: Buffer) => stderr.add(chunk));
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

/** `check-ignore` has no literal pathspecs; its paths start with `./`, which disables magic. */
function literal([command]: readonly string[]): string[] {
  return command === 'check-ignore' ? [] : ['--literal-pathspecs'];
}

/** Ignores EPIPE from a git that exits before it has read everything. */
function send(pipe: unknown, content: string | Uint8Array): void {
  if (!(pipe instanceof Writable)) return;
  pipe.on('error', () => {});
  pipe.end(content);
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Already exited.
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
