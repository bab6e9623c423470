/**
 * The active configuration, and secrets and users of former ones.
 *
 * Prevents a leak by secret rotation: an upstream may still reflect a rotated secret, so it stays in
 * the redactor for ten minutes and until the last call that used it has ended. The same holds for a
 * minted token that was replaced. Each user has an incarnation id, so that removing a user and adding
 * the name again revives no token.
 */
import { type KeyObject, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../core/http/caller.ts';
import type { Redactor } from '../../core/redactor/redactor.ts';
import { dummyCostFor, type Password, verifyPassword } from '../../core/secrets/password.ts';
import { passwordMark } from '../../core/secrets/password-mark.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { StoreUnavailable } from '../../core/store/shared-store.ts';
import type { Users } from '../../core/users.ts';
import type { Config, User } from './config.ts';
import { RedactorCache } from './redactor-cache.ts';

const RETIRED_FOR_MS = 10 * 60_000;
/** Not a valid user name. */
const EVERYONE = '';

interface Retired {
  readonly user: string;
  readonly secret: Secret;
  readonly until: number;
  /** Calls that began in this epoch or an earlier one may still carry the value. */
  readonly epoch: number;
}

/** How values that are made while the server runs become known to the redactor. */
interface MintedValues {
  /** From now on the value is redacted from what the user is shown, and from every log line. */
  addMinted(user: string, secret: Secret): void;
  /** It stays redacted for ten minutes, and until the last call that may carry it has ended. */
  retireMinted(user: string, secret: Secret): void;
}

export interface Change {
  readonly removed: readonly string[];
  /** Users whose targets changed. */
  readonly changed: readonly string[];
}

export class ActiveConfig implements Users, MintedValues {
  #config: Config;
  #generation = 1;
  /** Incremented whenever a value is retired. */
  #epoch = 1;
  #retired: Retired[] = [];
  #dummyCost: number;
  /** Server keys change only with a restart: those of the start stay active. */
  readonly #startKeys: readonly Secret[];
  readonly #now: () => number;
  readonly #incarnations = new Map<string, string>();
  readonly #running = new Map<number, number>();
  readonly #minted = new Map<string, Set<Secret>>();
  readonly #redactors = new RedactorCache();

  /** `now` is monotonic: a corrected wall clock must not shorten the ten minutes. */
  constructor(config: Config, now: () => number = () => performance.now()) {
    this.#config = config;
    this.#now = now;
    this.#dummyCost = dummyCostOf(config);
    this.#startKeys = serverKeysOf(config);
    this.#drawIncarnations();
  }

  get config(): Config {
    return this.#config;
  }

  /** Incremented by every activation; connections are not shared across generations. */
  get generation(): number {
    return this.#generation;
  }

  activate(next: Config): Change {
    const previous = this.#config;
    const removed = [...previous.users.keys()].filter((name) => !next.users.has(name));
    const changed = [...next.users.values()].filter((user) => {
      const before = previous.users.get(user.name);
      return before !== undefined && describeTargets(before) !== describeTargets(user);
    });
    this.#retire(previous, next);
    for (const name of removed) {
      this.#incarnations.delete(name);
      this.#redactors.forget(name);
    }
    this.#config = next;
    this.#drawIncarnations();
    this.#generation += 1;
    this.#dummyCost = dummyCostOf(next);
    this.#redactors.invalidate();
    return { removed, changed: changed.map((user) => user.name) };
  }

  /** Undefined if that user was removed, even if another user has the name now. */
  userOf({ user, incarnation }: Caller): User | undefined {
    return this.incarnation(user) === incarnation ? this.#config.users.get(user) : undefined;
  }

  /** Returns the function that marks the call as ended. */
  beginCall(): () => void {
    const epoch = this.#epoch;
    this.#running.set(epoch, (this.#running.get(epoch) ?? 0) + 1);
    return () => {
      const left = (this.#running.get(epoch) ?? 1) - 1;
      if (left > 0) this.#running.set(epoch, left);
      else this.#running.delete(epoch);
    };
  }

  addMinted(user: string, secret: Secret): void {
    const values = this.#minted.get(user) ?? new Set();
    this.#minted.set(user, values.add(secret));
    this.#redactors.invalidate();
  }

  retireMinted(user: string, secret: Secret): void {
    const values = this.#minted.get(user);
    if (!values?.delete(secret)) return;
    if (values.size === 0) this.#minted.delete(user);
    this.#retireValue(user, secret);
    this.#epoch += 1;
    this.#redactors.invalidate();
  }

  /** Removes the secrets of one user, current and recently rotated. */
  redactorFor(user: string): Redactor {
    this.#expire();
    return this.#redactors.of(user, () => [
      ...(this.#config.users.get(user)?.secrets.values() ?? []),
      ...(this.#minted.get(user) ?? []),
      ...this.#retired.filter((entry) => entry.user === user).map((entry) => entry.secret),
    ]);
  }

  /**
   * Removes the secrets of all users and the server keys, also those that need a restart: for log
   * lines and error messages, never for responses.
   */
  readonly clean = (text: string): string => {
    this.#expire();
    const everyone = this.#redactors.of(EVERYONE, () => [
      ...[...this.#config.users.values()].flatMap(({ secrets, totp }) => [
        ...secrets.values(),
        ...(totp ? [totp] : []),
      ]),
      ...this.#startKeys,
      ...serverKeysOf(this.#config),
      ...[...this.#minted.values()].flatMap((values) => [...values]),
      ...this.#retired.map((entry) => entry.secret),
    ]);
    return everyone.text(text).text;
  };

  /** Fails if a reload changed the password during the check. */
  async signIn(name: string, password: string): Promise<string | undefined> {
    const known = this.#passwordOf(name);
    const matches = await verifyPassword(known, password, this.#dummyCost);
    return matches && isDeepStrictEqual(this.#passwordOf(name), known)
      ? this.incarnation(name)
      : undefined;
  }

  /** Throws while the incarnation of a user has not been read from the store yet. */
  incarnation(name: string): string | undefined {
    const incarnation = this.#incarnations.get(name);
    if (incarnation === undefined && this.#config.users.has(name)) {
      throw new StoreUnavailable('the incarnation of a user is not known yet');
    }
    return incarnation;
  }

  passwordMark(name: string, key: KeyObject): string | undefined {
    const user = this.#config.users.get(name);
    return user && `${passwordMark(user.password, key)}${user.totp ? ' totp' : ''}`;
  }

  /** As it is in the shared store; without one, ids are drawn here. */
  adoptIncarnation(name: string, incarnation: string): void {
    if (this.#config.users.has(name)) this.#incarnations.set(name, incarnation);
  }

  #drawIncarnations(): void {
    if (this.#config.server.store) return;
    for (const name of this.#config.users.keys()) {
      if (!this.#incarnations.has(name)) this.#incarnations.set(name, randomUUID());
    }
  }

  #passwordOf(name: string): Password | undefined {
    return this.#config.users.get(name)?.password;
  }

  #retire(previous: Config, next: Config): void {
    for (const [user, { secrets }] of previous.users) {
      for (const [name, secret] of secrets) {
        const kept = next.users.get(user)?.secrets.get(name);
        if (!kept?.equals(secret)) this.#retireValue(user, secret);
      }
    }
    this.#epoch += 1;
  }

  /** A value that was retired before is retired anew. */
  #retireValue(user: string, secret: Secret): void {
    const until = this.#now() + RETIRED_FOR_MS;
    this.#retired = this.#retired.filter((entry) => !isOf(entry, user, secret));
    this.#retired.push({ user, secret, until, epoch: this.#epoch });
  }

  /** Runs on every call: checks only the first entry, since entries are in order of time. */
  #expire(): void {
    const first = this.#retired[0];
    if (!first || first.until > this.#now() || this.#mayStillCarry(first)) return;
    this.#retired = this.#retired.filter(
      (entry) => entry.until > this.#now() || this.#mayStillCarry(entry),
    );
    this.#redactors.invalidate();
  }

  #mayStillCarry(entry: Retired): boolean {
    for (const epoch of this.#running.keys()) if (epoch <= entry.epoch) return true;
    return false;
  }
}

function isOf(retired: Retired, user: string, secret: Secret): boolean {
  return retired.user === user && retired.secret.equals(secret);
}

function serverKeysOf({ server }: Config): Secret[] {
  const { metrics, decoys, store, sealKey, notify } = server;
  return [
    ...(notify ? [notify.url] : []),
    ...(metrics ? [metrics.key] : []),
    ...(decoys ? [decoys.key, ...decoys.oldKeys] : []),
    ...(store?.password ? [store.password] : []),
    ...(sealKey ? [sealKey] : []),
  ];
}

function dummyCostOf(config: Config): number {
  return dummyCostFor([...config.users.values()].map((user) => user.password));
}

/** The response of `list_targets`, for comparison. */
function describeTargets(user: User): string {
  return JSON.stringify([
    user.allowAny,
    user.targets.map((target) => publicView(target, (text) => text)),
  ]);
}

/** What `list_targets` shows of a target: nothing that is injected, and no secret. */
export function publicView(target: User['targets'][number], clean: (text: string) => string) {
  return {
    id: clean(target.id),
    description: clean(target.description),
    base_url: clean(target.baseUrl.text),
    methods: target.methods,
    paths: target.paths.map((pattern) => clean(pattern.text)),
    rate_limit: target.rateLimit?.text ?? 'unlimited',
    ...(target.approve && {
      needs_approval: {
        methods: target.approve.methods,
        paths: target.approve.paths.map((pattern) => clean(pattern.text)),
      },
    }),
  };
}
