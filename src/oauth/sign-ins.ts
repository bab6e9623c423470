/**
 * Signing in, exchanging a code, refreshing, and finding the caller behind an access token.
 *
 * The attacks: a stolen code or refresh token is presented a second time (OAuth 2.1, section
 * 4.3.1). Every change goes through `store.replace`, so of two racing requests one wins; the
 * other has presented something spent, which ends the whole sign-in and is logged, because
 * nobody can tell which of the two was the thief. A code is spent by any attempt to exchange
 * it, right or wrong. A sign-in belongs to one incarnation of its user: it is dead once that
 * user was removed, also when the same name is added again.
 */
import type { Caller } from '../core/caller.ts';
import type { Log } from '../core/log.ts';
import type { Store } from '../core/store.ts';
import type { Users } from '../core/users.ts';
import {
  beginSignIn,
  type IssuedTokens,
  issueTokens,
  lifetimeOf,
  type NewSignIn,
  type PendingCode,
  SIGN_INS,
  type SignIn,
  spendCode,
} from './records.ts';
import { makeRoomForSignIn } from './sign-in-limit.ts';
import { isSameHash, newSignInId, readToken } from './token-text.ts';

export interface SignInsOptions {
  readonly store: Store;
  readonly users: Users;
  readonly log: Log;
  readonly settings: () => { readonly tokenTtlMs: number; readonly codeTtlMs: number };
  readonly now: () => number;
}

/** Undefined wherever the presented code or token is not good; the caller is told no more. */
export class SignIns {
  readonly #options: SignInsOptions;

  constructor(options: SignInsOptions) {
    this.#options = options;
  }

  /** The code of a new sign-in, or undefined when the store holds all the sign-ins it can. */
  async begin(newcomer: NewSignIn): Promise<string | undefined> {
    const { store, settings, now } = this.#options;
    const signInId = newSignInId();
    const { code, record } = beginSignIn(signInId, newcomer, settings().codeTtlMs, now());
    await makeRoomForSignIn(store, newcomer.user, { signInId, clientId: newcomer.clientId });
    const stored = await store.put(SIGN_INS, signInId, record, lifetimeOf(record, now()));
    return stored ? code : undefined;
  }

  /** Spends the code; gives tokens when `isProven` accepts what the code was bound to. */
  async exchangeCode(
    text: string,
    isProven: (signIn: SignIn, code: PendingCode) => boolean,
  ): Promise<{ tokens: IssuedTokens; user: string } | undefined> {
    const { store, settings, now } = this.#options;
    const presented = readToken(text);
    if (!presented) return undefined;
    const { signInId } = presented;
    for (;;) {
      const current = await this.#live(signInId);
      if (!current) return undefined;
      const { code } = current;
      if (!code || !isSameHash(code.hash, presented.hash)) {
        return this.#endForReuse(signInId, current, 'code');
      }
      const isGood = code.expiresAt > now() && isProven(current, code);
      const issued = isGood
        ? issueTokens(signInId, current, settings().tokenTtlMs, now())
        : undefined;
      const next = issued?.record ?? spendCode(current);
      const lifetime = lifetimeOf(issued?.record ?? current, now());
      if (await store.replace(SIGN_INS, signInId, current, next, lifetime)) {
        return issued && { tokens: issued.tokens, user: current.user };
      }
    }
  }

  /** Gives new tokens for the current refresh token of this client, which is spent by it. */
  async refresh(
    text: string,
    clientId: string,
  ): Promise<{ tokens: IssuedTokens; user: string } | undefined> {
    const { store, settings, now } = this.#options;
    const presented = readToken(text);
    if (!presented) return undefined;
    const { signInId } = presented;
    for (;;) {
      const current = await this.#live(signInId);
      if (!current) return undefined;
      const { refresh } = current;
      if (!refresh || !isSameHash(refresh.hash, presented.hash)) {
        return this.#endForReuse(signInId, current, 'refresh_token');
      }
      if (refresh.expiresAt <= now() || current.clientId !== clientId) return undefined;
      const { tokens, record } = issueTokens(signInId, current, settings().tokenTtlMs, now());
      if (await store.replace(SIGN_INS, signInId, current, record, lifetimeOf(record, now()))) {
        return { tokens, user: current.user };
      }
    }
  }

  /** Who calls with this access token: a hash and one look-up. */
  async callerOf(text: string): Promise<Caller | undefined> {
    const presented = readToken(text);
    if (!presented) return undefined;
    const current = await this.#live(presented.signInId);
    const held = current?.access.find(({ hash }) => isSameHash(hash, presented.hash));
    if (!current || !held || held.expiresAt <= this.#options.now()) return undefined;
    return { user: current.user, clientId: current.clientId };
  }

  /** The sign-in, while its user is still the one who signed in. */
  async #live(signInId: string): Promise<SignIn | undefined> {
    const { store, users } = this.#options;
    const signIn = await store.get<SignIn>(SIGN_INS, signInId);
    if (!signIn || users.incarnation(signIn.user) === signIn.incarnation) return signIn;
    await store.delete(SIGN_INS, signInId);
    return undefined;
  }

  async #endForReuse(
    signInId: string,
    { user, clientId }: SignIn,
    kind: 'code' | 'refresh_token',
  ): Promise<undefined> {
    await this.#options.store.delete(SIGN_INS, signInId);
    this.#options.log.warn('token_reuse_detected', { user, client_id: clientId, kind });
    return undefined;
  }
}
