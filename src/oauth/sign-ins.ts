/**
 * Signing in, exchanging a code, refresh token rotation with reuse detection, and finding the caller
 * of an access token.
 *
 * Prevents replay of a stolen code or refresh token (OAuth 2.1, section 4.3.1):
 * - Every change goes through `store.replace`, so one of two racing requests wins. The other has
 *   presented a spent token, which ends the whole sign-in and is logged, since either may be the thief.
 * - The predecessor of the current refresh token is accepted for a minute (`refresh-grace.ts`): two
 *   processes of one client race for it at every start.
 * - A text without a valid seal ends nothing: anyone who saw the beginning of a token could send one.
 * - Any attempt to exchange a code spends it.
 * - A sign-in belongs to one incarnation of its user and is refused once that user was removed. It is
 *   not deleted then: another replica may have a newer configuration.
 *
 * A shared store may lose its last writes in a failover. A refresh token from then is newer than the
 * sign-in in the store; its seal proves that, and it is accepted as the current one.
 */
import type { KeyObject } from 'node:crypto';
import type { Caller } from '../core/http/caller.ts';
import type { Log } from '../core/log/log.ts';
import { memoize } from '../core/memoize.ts';
import { isSameText } from '../core/secrets/same-text.ts';
import type { Store } from '../core/store/store.ts';
import type { Users } from '../core/users.ts';
import { endSignIn, extendClient, keepClient } from './kept-clients.ts';
import {
  beginSignIn,
  type Client,
  type IssuedTokens,
  issueAccessToken,
  issueTokens,
  lifetimeOf,
  type Minting,
  type NewSignIn,
  type PendingCode,
  SIGN_INS,
  type SignIn,
  spendCode,
} from './records.ts';
import { beginGrace, currentOfPredecessor, endGrace } from './refresh-grace.ts';
import { makeRoomForSignIn } from './sign-in-limit.ts';
import { mintedGeneration, newSignInId, type PresentedToken, readToken } from './token-text.ts';

interface SignInsOptions {
  readonly store: Store;
  readonly users: Users;
  readonly log: Log;
  readonly settings: () => { readonly tokenTtlMs: number; readonly codeTtlMs: number };
  readonly now: () => number;
  /** Seals tokens, and can do nothing else; not in the store. */
  readonly sealKey: KeyObject;
}

type Spendable = 'code' | 'refresh_token';

/** The next record of a sign-in, and the tokens that are issued with it. */
interface Step {
  readonly record: SignIn;
  readonly tokens?: IssuedTokens;
  readonly isGrace?: boolean;
}

/** `spent` also for a text that never was a token of this sign-in. */
type Outcome = Step | 'refused' | 'spent';

export interface Grant {
  readonly tokens: IssuedTokens;
  readonly user: string;
  /** The refresh token was spent already, within the last minute, by another process. */
  readonly isGrace: boolean;
}

interface Beginning extends Omit<NewSignIn, 'clientId'> {
  readonly client: Client;
  /** From where the user signs in. */
  readonly source: string;
}

/** Methods return undefined for a code or token that is not valid, without a reason. */
export class SignIns {
  readonly #options: SignInsOptions;
  /** Only the parsing is memoized; the sign-in is looked up every time. */
  readonly #readAgain = memoize(readToken);

  constructor(options: SignInsOptions) {
    this.#options = options;
  }

  /** The code of a new sign-in, or undefined when the store holds all the sign-ins it can. */
  async begin({ client, source, ...newcomer }: Beginning): Promise<string | undefined> {
    const { store, settings, now } = this.#options;
    const signInId = newSignInId();
    const clientId = client.id;
    const { codeTtlMs } = settings();
    const minting = this.#minting(signInId);
    const { code, record } = beginSignIn(minting, { ...newcomer, clientId }, codeTtlMs);
    const stored = await store.put(SIGN_INS, signInId, record, lifetimeOf(record, now()));
    if (!stored) return undefined;
    const reference = { signInId, expiresAt: now() + codeTtlMs };
    if (!(await keepClient(store, { client, source, ...reference }, now()))) {
      await store.delete(SIGN_INS, signInId);
      return undefined;
    }
    await makeRoomForSignIn(store, newcomer.user, { signInId, clientId }, now());
    return code;
  }

  /** Spends the code; gives tokens when `isProven` accepts what the code was bound to. */
  exchangeCode(
    text: string,
    isProven: (signIn: SignIn, code: PendingCode) => boolean,
  ): Promise<Grant | undefined> {
    const { settings, now } = this.#options;
    return this.#present(text, 'code', async ({ signInId, hash }, current) => {
      const { code } = current;
      if (!code || !isSameText(code.hash, hash)) return 'spent';
      if (code.expiresAt > now() && isProven(current, code)) {
        return issueTokens(this.#minting(signInId), current, settings().tokenTtlMs);
      }
      return { record: spendCode(current) };
    });
  }

  /**
   * Rotation: new tokens for the current refresh token of this client, or for one that is newer than
   * the store knows. For the predecessor of the last minute, a new access token and the current
   * refresh token.
   */
  async refresh(text: string, clientId: string): Promise<Grant | undefined> {
    const { store, settings, now, sealKey } = this.#options;
    return this.#present(text, 'refresh_token', async (presented, current) => {
      const { signInId, hash } = presented;
      const { refresh } = current;
      const minting = this.#minting(signInId);
      const { tokenTtlMs } = settings();
      if (refresh && isSameText(refresh.hash, hash)) {
        if (refresh.expiresAt <= now() || current.clientId !== clientId) return 'refused';
        return issueTokens(minting, current, tokenTtlMs);
      }
      const generation = mintedGeneration(text, 'refresh_token', sealKey) ?? 0;
      if (generation > current.generation) {
        if (current.clientId !== clientId) return 'refused';
        return issueTokens(minting, { ...current, generation }, tokenTtlMs);
      }
      if (!refresh) return 'spent';
      const spent = { ...presented, text };
      const currentText = await currentOfPredecessor(store, spent, refresh.hash);
      if (currentText === undefined || current.clientId !== clientId) return 'spent';
      const step = issueAccessToken(minting, current, currentText, tokenTtlMs);
      return { ...step, isGrace: true };
    });
  }

  /**
   * The caller with this access token: one look-up, and a hash at the first call. A cached record of a
   * shared store is good enough, unless the token was issued since.
   */
  async callerOf(text: string): Promise<Caller | undefined> {
    const presented = this.#readAgain(text);
    if (!presented) return undefined;
    const { store, now } = this.#options;
    const { signInId, hash } = presented;
    const held = (signIn: SignIn | undefined) =>
      signIn?.access.find((token) => isSameText(token.hash, hash));
    let current = await store.getRecent<SignIn>(SIGN_INS, signInId);
    if (current && !held(current)) current = await store.get<SignIn>(SIGN_INS, signInId);
    if (!current || (held(current)?.expiresAt ?? 0) <= now()) return undefined;
    const { user, incarnation, clientId } = current;
    return this.#isOfItsUser(current) ? { user, incarnation, clientId, signInId } : undefined;
  }

  /**
   * Applies `step` to the sign-in of a presented code or token. The loser of a race looks it up again
   * and finds it spent. The record of a code that was spent in vain stays until the code expires.
   */
  async #present(
    text: string,
    kind: Spendable,
    step: (presented: PresentedToken, current: SignIn) => Promise<Outcome>,
  ): Promise<Grant | undefined> {
    const presented = readToken(text);
    if (!presented) return undefined;
    const { signInId } = presented;
    for (;;) {
      const current = await this.#live(signInId);
      if (!current) return undefined;
      const taken = await step(presented, current);
      if (taken === 'refused') return undefined;
      if (taken === 'spent') {
        if (mintedGeneration(text, kind, this.#options.sealKey) === undefined) return undefined;
        return this.#endForReuse(signInId, current, kind);
      }
      const { tokens, isGrace = false } = taken;
      if (!(await this.#replace({ ...presented, text }, current, taken))) continue;
      return tokens && { tokens, user: current.user, isGrace };
    }
  }

  /** False when another request was first. The grace record is stored before the rotation. */
  async #replace(
    spent: PresentedToken & { readonly text: string },
    current: SignIn,
    { record, tokens }: Step,
  ): Promise<boolean> {
    const { store, now } = this.#options;
    const { signInId } = spent;
    const [former, next] = [current.refresh?.hash, record.refresh?.hash];
    const isRotated = tokens && former !== undefined && next !== undefined && former !== next;
    if (isRotated) await beginGrace(store, spent, { text: tokens.refreshToken, hash: next });
    const lifetime = lifetimeOf(tokens ? record : current, now());
    const isFirst = await store.replace(SIGN_INS, signInId, current, record, lifetime);
    if (isRotated) await endGrace(store, isFirst ? former : next);
    if (isFirst && tokens) {
      const expiresAt = now() + lifetime.ttlMs;
      await extendClient(store, current.clientId, { signInId, expiresAt }, now());
    }
    return isFirst;
  }

  /** The sign-in, while its user is still the one who signed in. */
  async #live(signInId: string): Promise<SignIn | undefined> {
    const signIn = await this.#options.store.get<SignIn>(SIGN_INS, signInId);
    return signIn && this.#isOfItsUser(signIn) ? signIn : undefined;
  }

  #isOfItsUser({ user, incarnation }: SignIn): boolean {
    return this.#options.users.incarnation(user) === incarnation;
  }

  #minting(signInId: string): Minting {
    const { sealKey, now } = this.#options;
    return { signInId, sealKey, now: now() };
  }

  async #endForReuse(
    signInId: string,
    { user, clientId }: SignIn,
    kind: Spendable,
  ): Promise<undefined> {
    const { store, log, now } = this.#options;
    await endSignIn(store, { signInId, clientId }, now());
    log.warn('token_reuse_detected', { user, client_id: clientId, kind });
    return undefined;
  }
}
