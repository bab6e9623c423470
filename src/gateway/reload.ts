/**
 * Reloads the configuration when its file changes.
 *
 * The file is polled five times a second, which detects every kind of change: atomic renames, swapped
 * symlinks (Kubernetes mounts) and file systems without change events. A change is read after two
 * equal polls (debounce), so that a file is not read half-written. An invalid version leaves the
 * previous one active and is reported once. SIGHUP always reloads, resolves references again and logs
 * the outcome. While programs of `exec:` run, the previous version serves.
 */
import { stat } from 'node:fs/promises';
import type { ExecValues } from '../core/config/exec-values.ts';
import { sameMountedDecoys } from '../core/config/persona-choice.ts';
import { reportProblems } from '../core/config/report-problems.ts';
import type { ValueSources } from '../core/config/value.ts';
import type { Log } from '../core/log/log.ts';
import type { Secret } from '../core/secrets/secret.ts';
import type { ActiveConfig, Change } from './config/active-config.ts';
import { type Config, hasPages, type ServerConfig } from './config/config.ts';
import { readConfigRunning } from './config/read-config.ts';
import { reportPrograms, reportWarnings } from './config/report.ts';

const POLL_MS = 200;

interface ReloadOptions {
  readonly path: string;
  readonly env: ValueSources['env'];
  readonly exec: ExecValues;
  readonly active: ActiveConfig;
  readonly log: Log;
  /** Of the version that was read at the start, so that a change since then is not missed. */
  readonly digest: string;
  readonly onChange: (change: Change) => void;
}

export class Reloader {
  readonly #options: ReloadOptions;
  #timer: NodeJS.Timeout | undefined;
  #seen: string | undefined;
  #pending: string | undefined;
  #digest: string;
  #requested: 'always' | 'if changed' | undefined;
  #isLoading = false;
  /** The listeners and discovery documents use this configuration until a restart. */
  readonly #started: Config;

  constructor(options: ReloadOptions) {
    this.#options = options;
    this.#digest = options.digest;
    this.#started = options.active.config;
  }

  /** Polls the file until `stop`. */
  watch(): void {
    this.#timer = setTimeout(async () => {
      await this.poll();
      if (this.#timer) this.watch();
    }, POLL_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Reads the file again, whether or not it looks changed, and runs all programs of `exec:`. */
  reload(): Promise<void> {
    return this.#apply(true);
  }

  /** Polls once, and loads a version that was the same at the previous poll. */
  async poll(): Promise<void> {
    const signature = await this.#signature();
    if (signature !== this.#seen && signature === this.#pending) {
      this.#seen = signature;
      await this.#apply(false);
    }
    this.#pending = signature;
  }

  /** What identifies a version of the file without reading it. */
  async #signature(): Promise<string> {
    try {
      const { dev, ino, size, mtimeNs, ctimeNs } = await stat(this.#options.path, { bigint: true });
      return [dev, ino, size, mtimeNs, ctimeNs].join();
    } catch (error) {
      return String((error as { code?: unknown }).code);
    }
  }

  /** One at a time, since programs may run: requests during a load cause one more load after it. */
  async #apply(always: boolean): Promise<void> {
    this.#requested = always ? 'always' : (this.#requested ?? 'if changed');
    if (this.#isLoading) return;
    this.#isLoading = true;
    try {
      while (this.#requested) {
        const isForced = this.#requested === 'always';
        this.#requested = undefined;
        await this.#load(isForced);
      }
    } finally {
      this.#isLoading = false;
    }
  }

  async #load(always: boolean): Promise<void> {
    const { path, env, exec, active, log, onChange } = this.#options;
    const { config, problems, digest } = await readConfigRunning(path, env, exec, always);
    if (!always && digest === this.#digest) return;
    this.#digest = digest;
    if (!config) {
      const message = 'the configuration has problems; the previous one stays active';
      reportProblems(message, problems.errors, log);
      reportPrograms(exec, log);
      return;
    }
    const restart = needsRestart(this.#started, config);
    const change = active.activate(config);
    reportPrograms(exec, log);
    log.info('config_reloaded', {
      users: config.users.size,
      ...(restart.length > 0 ? { needs_restart: restart } : {}),
    });
    reportWarnings(config, problems, log);
    onChange(change);
  }
}

/** The settings that differ from those of the start and need a restart. */
function needsRestart(before: Config, after: Config): string[] {
  const [{ server: started }, { server: next }] = [before, after];
  const names: string[] = [];
  if (started.listen.text !== next.listen.text) names.push('server.listen');
  if (started.publicUrl !== next.publicUrl) names.push('server.public_url');
  if (!sameMetrics(started.metrics, next.metrics)) names.push('server.metrics');
  if (!sameMountedDecoys(started.decoys, next.decoys)) names.push('server.decoys');
  if (started.console !== next.console) names.push('server.console');
  else if (!hasPages(before) && hasPages(after)) names.push('users[].targets[].approve');
  if (!sameStore(started.store, next.store)) names.push('server.store');
  if (!sameSecret(started.sealKey, next.sealKey)) names.push('server.seal_key');
  return names;
}

function sameStore(a: ServerConfig['store'], b: ServerConfig['store']): boolean {
  if (!a || !b) return a === b;
  return a.text === b.text && a.prefix === b.prefix && sameSecret(a.password, b.password);
}

function sameSecret(a: Secret | undefined, b: Secret | undefined): boolean {
  return a && b ? a.equals(b) : a === b;
}

function sameMetrics(a: ServerConfig['metrics'], b: ServerConfig['metrics']): boolean {
  if (!a || !b) return a === b;
  return a.listen?.text === b.listen?.text && a.key.equals(b.key);
}
