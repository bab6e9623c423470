/**
 * Signing in, exchanging a code, refreshing, and finding the caller behind an access token.
 *
 * The attacks: a stolen code or refresh token is presented a second time (OAuth 2.1, section
 * 4.3.1). Every change goes through `store.replace`, so of two racing requests one wins; the
 * other has presented something spent, which ends the whole sign-in and is logged, because
 * nobody can tell which of the two was the thief. A text that only looks like a token, or a
 * token of another kind, ends nothing: whoever saw its beginning could have made it up. A code is spent by any attempt to exchange
 * it, right or wrong. A sign-in belongs to one incarnation of its user: it is dead once that
 * user was removed, also when the same name is added again.
 */
import type { Caller } from '../core/caller.ts';
import type { Log } from '../core/log.ts';
import { remembered } from '../core/remembered.ts';
import type { Store } from '../core/store.ts';
import type { Users } from '../core/users.ts';
import { type Awaitable, whenThere } from '../core/when-there.ts';
import {
  beginSignIn,
  type HeldToken,
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
import { isSameHash, newSignInId, readToken, wasMinted } from './token-text.ts';

export interface SignInsOptions {
  readonly store: Store;
  readonly users: Users;
  readonly log: Log;
  readonly settings: () => { readonly tokenTtlMs: number; readonly codeTtlMs: number };
  readonly now: () => number;
}

type Spendable = 'code' | 'refresh_token';

/** What a sign-in becomes, and the tokens that come of it, if any do. */
interface Step {
  readonly record: SignIn;
  readonly tokens?: IssuedTokens;
}

interface Grant {
  readonly tokens: IssuedTokens;
  readonly user: string;
}

/** Undefined wherever the presented code or token is not good; the caller is told no more. */
export class SignIns {
  readonly #options: SignInsOptions;
  /** Whoever calls comes again with the same token. Where it leads is looked up every time. */
  readonly #readAgain = remembered(readToken);

  constructor(options: SignInsOptions) {
    this.#options = options;
  }

  /** The code of a new sign-in, or undefined when the store holds all the sign-ins it can. */
  async begin(newcomer: NewSignIn): Promise<string | undefined> {
    const { store, settings, now } = this.#options;
    const signInId = newSignInId();
    const { code, record } = beginSignIn(signInId, newcomer, settings().codeTtlMs, now());
    const stored = await store.put(SIGN_INS, signInId, record, lifetimeOf(record, now()));
    if (!stored) return undefined;
    await makeRoomForSignIn(store, newcomer.user, { signInId, clientId: newcomer.clientId });
    return code;
  }

  /** Spends the code; gives tokens when `isProven` accepts what the code was bound to. */
  exchangeCode(
    text: string,
    isProven: (signIn: SignIn, code: PendingCode) => boolean,
  ): Promise<Grant | undefined> {
    const { settings, now } = this.#options;
    return this.#present(
      text,
      'code',
      ({ code }) => code,
      (signInId, current, code) => {
        if (code.expiresAt > now() && isProven(current, code)) {
          return issueTokens(signInId, current, settings().tokenTtlMs, now());
        }
        return { record: spendCode(current) };
      },
    );
  }

  /** Gives new tokens for the current refresh token of this client, which is spent by it. */
  refresh(text: string, clientId: string): Promise<Grant | undefined> {
    const { settings, now } = this.#options;
    return this.#present(
      text,
      'refresh_token',
      ({ refresh }) => refresh,
      (signInId, current, held) => {
        if (held.expiresAt <= now() || current.clientId !== clientId) return undefined;
        return issueTokens(signInId, current, settings().tokenTtlMs, now());
      },
    );
  }

  /** Who calls with this access token: one look-up, and a hash at the first call. */
  callerOf(text: string): Awaitable<Caller | undefined> {
    const presented = this.#readAgain(text);
    if (!presented) return undefined;
    return whenThere(this.#live(presented.signInId), (current) => {
      const held = current?.access.find(({ hash }) => isSameHash(hash, presented.hash));
      if (!current || !held || held.expiresAt <= this.#options.now()) return undefined;
      const { user, incarnation, clientId } = current;
      return { user, incarnation, clientId };
    });
  }

  /**
   * Takes the sign-in a step on by what was presented; without a step it stays as it is. Whoever
   * loses a race looks again, and finds what was presented spent. A code that was spent in vain is
   * known as long as it would have lasted.
   */
  async #present<Held extends HeldToken>(
    text: string,
    kind: Spendable,
    heldBy: (signIn: SignIn) => Held | undefined,
    step: (signInId: string, current: SignIn, held: Held) => Step | undefined,
  ): Promise<Grant | undefined> {
    const { store, now } = this.#options;
    const presented = readToken(text);
    if (!presented) return undefined;
    const { signInId } = presented;
    for (;;) {
      const current = await this.#live(signInId);
      if (!current) return undefined;
      const held = heldBy(current);
      if (!held || !isSameHash(held.hash, presented.hash)) {
        if (!wasMinted(text, kind, current.sealKey)) return undefined;
        return this.#endForReuse(signInId, current, kind);
      }
      const taken = step(signInId, current, held);
      if (!taken) return undefined;
      const { tokens, record } = taken;
      const lifetime = lifetimeOf(tokens ? record : current, now());
      if (await store.replace(SIGN_INS, signInId, current, record, lifetime)) {
        return tokens && { tokens, user: current.user };
      }
    }
  }

  /** The sign-in, while its user is still the one who signed in. */
  #live(signInId: string): Awaitable<SignIn | undefined> {
    const { store, users } = this.#options;
    return whenThere(store.get<SignIn>(SIGN_INS, signInId), (signIn) => {
      if (!signIn || users.incarnation(signIn.user) === signIn.incarnation) return signIn;
      return store.delete(SIGN_INS, signInId).then(() => undefined);
    });
  }

  async #endForReuse(
    signInId: string,
    { user, clientId }: SignIn,
    kind: Spendable,
  ): Promise<undefined> {
    await this.#options.store.delete(SIGN_INS, signInId);
    this.#options.log.warn('token_reuse_detected', { user, client_id: clientId, kind });
    return undefined;
  }
}
