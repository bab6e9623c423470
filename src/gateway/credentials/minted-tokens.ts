/**
 * The current token of each minted secret.
 *
 * Guarantees: however many calls need a new token, one request is under way; a token is known to the
 * redactor before its first use and for as long as a retired secret is after its last; a provider that
 * fails slows no call that has a valid token, and is not asked again before a backoff has passed; an
 * upstream that answers 401 to everything causes five token requests a minute and no more.
 */
import { describeError, type Log } from '../../core/log/log.ts';
import type { OwnEndpoints } from '../../core/net/guard.ts';
import type { Lookups } from '../../core/net/lookups.ts';
import { Secret } from '../../core/secrets/secret.ts';
import type { ActiveConfig } from '../config/active-config.ts';
import type { MintedSecret, TokenSource } from '../config/minted-secret.ts';
import { CredentialError } from './credential-error.ts';
import { requestInstallationToken } from './github-app.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { signJwt } from './jwt.ts';
import {
  DEFAULT_LIFE_MS,
  type ExposedPart,
  type MintContext,
  type Minted,
  RENEW_AT,
} from './minted.ts';
import { requestOAuth2Token } from './oauth2.ts';
import { RefreshTokenFile } from './refresh-token-file.ts';
import { MAX_REQUEST_MS, type SharedRefresh } from './shared-refresh.ts';

/** A token that lives this long is renewed in the background while it is still good. */
const LONG_LIFE_MS = 300_000;
/** Counts for any shorter life, which would fill the redactor with retired tokens. */
const MIN_LIFE_MS = 10_000;
const MAX_LIFE_MS = 30 * 86_400_000;
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;
const MAX_FORCED = 5;
const FORCED_PERIOD_MS = 60_000;
/** Visible ASCII and spaces (RFC 6749, appendix A.12), long enough to be redacted. */
const USABLE = /^[\x20-\x7e]{8,16384}$/;

export interface Tokens {
  /** Rejects with a `CredentialError`. */
  obtain(user: string, secret: MintedSecret): Promise<Secret>;
  /** After a 401. False if the token stays, because too many were discarded within a minute. */
  discard(user: string, secret: MintedSecret, token: Secret): boolean;
}

interface MintedTokensParts {
  readonly active: ActiveConfig;
  readonly lookups: Lookups;
  readonly own: OwnEndpoints;
  readonly log: Log;
  /** Never goes back: lifetimes are measured by it. */
  readonly now: () => number;
  /** Where replicas share a store. */
  readonly sharedRefresh?: SharedRefresh | undefined;
}

interface Entry {
  readonly user: string;
  secret: MintedSecret;
  readonly refreshTokens: RefreshTokenFile | undefined;
  readonly exposed: Map<ExposedPart, Secret>;
  current:
    | { readonly token: Secret; readonly renewAt: number; readonly goodUntil: number }
    | undefined;
  pending: Promise<Secret> | undefined;
  failures: number;
  retryAt: number;
  failure: CredentialError | undefined;
  /** When a 401 discarded a token, within the last minute. */
  forcedAt: number[];
  /** The configuration no longer has it. */
  isDropped: boolean;
}

export class MintedTokens implements Tokens {
  readonly #entries = new Map<string, Entry>();
  readonly #parts: MintedTokensParts;

  constructor(parts: MintedTokensParts) {
    this.#parts = parts;
  }

  async obtain(user: string, secret: MintedSecret): Promise<Secret> {
    const entry = this.#entryOf(user, secret);
    const now = this.#parts.now();
    const isBackingOff = now < entry.retryAt;
    const { current } = entry;
    if (current && now < current.goodUntil) {
      // A failure is logged, and the next call tries again.
      if (now >= current.renewAt && !isBackingOff) this.#renew(entry).catch(() => {});
      return current.token;
    }
    if (isBackingOff && !entry.pending) throw entry.failure;
    return this.#renew(entry);
  }

  discard(user: string, secret: MintedSecret, token: Secret): boolean {
    const entry = this.#entryOf(user, secret);
    if (entry.current?.token !== token) return true;
    const now = this.#parts.now();
    entry.forcedAt = entry.forcedAt.filter((at) => at > now - FORCED_PERIOD_MS);
    if (entry.forcedAt.length >= MAX_FORCED) return false;
    entry.forcedAt.push(now);
    entry.current = undefined;
    return true;
  }

  /** How long the current token is good; undefined where there is none. */
  remainingMs(user: string, secret: MintedSecret): number | undefined {
    const { current } = this.#entryOf(user, secret);
    return current && current.goodUntil - this.#parts.now();
  }

  /** After a reload: a token stays while the definition of its secret is unchanged. */
  followReload(): void {
    const { users } = this.#parts.active.config;
    for (const [key, entry] of this.#entries) {
      const secret = users.get(entry.user)?.minted.get(entry.secret.name);
      if (secret?.fingerprint === entry.secret.fingerprint) {
        entry.secret = secret;
        continue;
      }
      this.#entries.delete(key);
      entry.isDropped = true;
      this.#retireAll(entry);
    }
  }

  #entryOf(user: string, secret: MintedSecret): Entry {
    const key = `${user}\n${secret.name}\n${secret.fingerprint}`;
    const known = this.#entries.get(key);
    if (known) return known;
    const { source } = secret;
    const entry: Entry = {
      ...{ user, secret, exposed: new Map(), current: undefined, pending: undefined },
      ...{ failures: 0, retryAt: 0, failure: undefined, forcedAt: [], isDropped: false },
      refreshTokens:
        source.kind === 'oauth2' && source.grant.type === 'refresh_token'
          ? new RefreshTokenFile(source.grant.file, (error) => this.#logUnwritten(entry, error))
          : undefined,
    };
    this.#entries.set(key, entry);
    return entry;
  }

  #renew(entry: Entry): Promise<Secret> {
    entry.pending ??= this.#mint(entry).finally(() => {
      entry.pending = undefined;
      if (entry.isDropped) this.#retireAll(entry);
    });
    return entry.pending;
  }

  async #mint(entry: Entry): Promise<Secret> {
    const { now, log } = this.#parts;
    const startedAt = now();
    try {
      const minted = await this.#mintedBy(entry);
      const { token, status, lifetimeMs = DEFAULT_LIFE_MS } = minted;
      const lifeMs = Math.min(Math.max(lifetimeMs, MIN_LIFE_MS), MAX_LIFE_MS);
      const renewAt = startedAt + lifeMs * RENEW_AT;
      const goodUntil = lifeMs < LONG_LIFE_MS ? renewAt : startedAt + lifeMs;
      entry.current = { token, renewAt, goodUntil };
      entry.failures = 0;
      if (status !== undefined) {
        const lifetime_s = Math.round(lifeMs / 1_000);
        log.info('token_requested', { ...this.#fields(entry, startedAt), status, lifetime_s });
      }
      return token;
    } catch (error) {
      const failure =
        error instanceof CredentialError ? error : new CredentialError('internal_error');
      if (failure !== error) log.error('internal_error', { message: describeError(error) });
      entry.failure = failure;
      entry.retryAt = now() + Math.min(FIRST_BACKOFF_MS * 2 ** entry.failures, MAX_BACKOFF_MS);
      entry.failures += 1;
      const { code, status = null } = failure;
      log.warn('token_requested', { ...this.#fields(entry, startedAt), status, error: code });
      throw failure;
    }
  }

  /** With replicas, one of them spends a refresh token for all. */
  #mintedBy(entry: Entry): Promise<Minted> {
    const { active, sharedRefresh } = this.#parts;
    const { user, secret, refreshTokens: file } = entry;
    const { requestTimeoutMs } = active.config.server;
    const requestMs = sharedRefresh ? Math.min(requestTimeoutMs, MAX_REQUEST_MS) : requestTimeoutMs;
    const context = this.#contextOf(entry, requestMs);
    const run = (within: MintContext) => mint(secret.source, within);
    if (!sharedRefresh || !file) return run(context);
    const key = `${user}/${secret.name}/${secret.fingerprint}`;
    const had = entry.exposed.get('token');
    return sharedRefresh.run({ key, context, file, had, requestMs }, run);
  }

  #contextOf(entry: Entry, timeoutMs: number): MintContext {
    const { active, lookups, own } = this.#parts;
    const { allowNetworks } = active.config.server;
    const rules = { resolve: lookups.for(entry.user), allowNetworks, own, timeoutMs };
    return {
      fetch: (request) => guardedFetch(request, rules),
      wallNowMs: Date.now,
      expose: (part, value) => this.#expose(entry, part, value),
      refreshTokens: entry.refreshTokens,
    };
  }

  #expose(entry: Entry, part: ExposedPart, value: string): Secret {
    if (!USABLE.test(value)) throw new CredentialError(`unusable_${part}`);
    const before = entry.exposed.get(part);
    if (before?.equals(value)) return before;
    const { user, secret } = entry;
    const exposed = new Secret(part === 'token' ? secret.name : `${secret.name}.${part}`, value);
    this.#parts.active.addMinted(user, exposed);
    if (before) this.#parts.active.retireMinted(user, before);
    entry.exposed.set(part, exposed);
    return exposed;
  }

  #retireAll({ user, exposed }: Entry): void {
    for (const secret of exposed.values()) this.#parts.active.retireMinted(user, secret);
    exposed.clear();
  }

  #fields({ user, secret }: Entry, startedAt: number): object {
    return { user, secret: secret.name, duration_ms: Math.round(this.#parts.now() - startedAt) };
  }

  #logUnwritten({ user, secret }: Entry, error: unknown): void {
    const code = String((error as { code?: unknown }).code ?? 'unknown');
    const message = 'the new refresh token cannot be written to its file; a restart would lose it';
    this.#parts.log.error('refresh_token_unwritten', { user, secret: secret.name, code, message });
  }
}

async function mint(source: TokenSource, context: MintContext): Promise<Minted> {
  switch (source.kind) {
    case 'oauth2':
      return requestOAuth2Token(source, context);
    case 'github_app':
      return requestInstallationToken(source, context);
    case 'jwt': {
      const { jwt, lifetimeMs } = await signJwt(source, context.wallNowMs());
      return { token: context.expose('token', jwt), lifetimeMs, status: undefined };
    }
  }
}
