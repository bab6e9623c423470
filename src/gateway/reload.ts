/**
 * Keeps the configuration in force equal to the file.
 *
 * The file is watched by asking for its state five times a second: that sees every way a file
 * can change, also an atomic rename, a swapped symlink (as Kubernetes mounts do) and file
 * systems without change events. A change is read once it has been the same twice in a row,
 * so a half-written file is given time to become whole. A version that does not validate
 * leaves the previous one in force and is reported once. SIGHUP always reads anew.
 */
import { stat } from 'node:fs/promises';
import type { Log } from '../core/log.ts';
import { formatProblem } from '../core/problems.ts';
import type { ValueSources } from '../core/value.ts';
import type { ActiveConfig, Change } from './active-config.ts';
import type { Config } from './config/config.ts';
import { readConfig } from './config/read-config.ts';

const POLL_MS = 200;

export interface ReloadOptions {
  readonly path: string;
  readonly sources: ValueSources;
  readonly active: ActiveConfig;
  readonly log: Log;
  /** The digest of the version that is in force at the start. */
  readonly digest: string;
  readonly onChange: (change: Change) => void;
}

export class Reloader {
  readonly #options: ReloadOptions;
  #timer: NodeJS.Timeout | undefined;
  #seen: string | undefined;
  #pending: string | undefined;
  #digest: string;

  constructor(options: ReloadOptions) {
    this.#options = options;
    this.#digest = options.digest;
  }

  async watch(): Promise<void> {
    this.#seen = await this.#signature();
    this.#schedule();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Reads the file again, whether or not it looks changed. */
  reload(): void {
    this.#apply(true);
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#poll(), POLL_MS);
    this.#timer.unref();
  }

  async #poll(): Promise<void> {
    const signature = await this.#signature();
    if (this.#timer === undefined) return;
    if (signature !== this.#seen && signature === this.#pending) {
      this.#seen = signature;
      this.#apply(false);
    }
    this.#pending = signature;
    this.#schedule();
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

  #apply(always: boolean): void {
    const { path, sources, active, log, onChange } = this.#options;
    const { config, problems, digest } = readConfig(path, sources);
    if (!always && digest === this.#digest) return;
    this.#digest = digest;
    if (!config) {
      log.error('config_error', {
        message: 'the configuration has problems; the previous one stays active',
        problems: problems.errors.map(formatProblem),
      });
      return;
    }
    const restart = needsRestart(active.config, config);
    const change = active.activate(config);
    log.info('config_reloaded', {
      users: config.users.size,
      ...(restart.length > 0 ? { needs_restart: restart } : {}),
    });
    warnOfShortSecrets(config, log);
    onChange(change);
  }
}

/** Secrets under the redaction floor are named, never shown. */
export function warnOfShortSecrets(config: Config, log: Log): void {
  for (const user of config.users.values()) {
    for (const secret of user.secrets.values()) {
      if (secret.length >= 8) continue;
      log.warn('short_secret', {
        user: user.name,
        secret: secret.name,
        message: 'the secret has fewer than 8 characters and is not redacted from answers',
      });
    }
  }
}

/** Settings that are bound to the open sockets and the discovery documents. */
function needsRestart(before: Config, after: Config): string[] {
  const names: string[] = [];
  if (before.server.listen.text !== after.server.listen.text) names.push('server.listen');
  if (before.server.publicUrl !== after.server.publicUrl) names.push('server.public_url');
  if (metricsOf(before) !== metricsOf(after)) names.push('server.metrics');
  return names;
}

function metricsOf({ server: { metrics } }: Config): string {
  return metrics ? `on ${metrics.listen?.text ?? ''}` : 'off';
}
