/**
 * Signing in, exchanging a code, refresh token rotation with reuse detection, and finding the caller
 * behind an access token.
 *
 * The attacks: a stolen code or refresh token is presented a second time (OAuth 2.1, section
 * 4.3.1). Every change goes through `store.replace`, so of two racing requests one wins; the
 * other has presented something spent, which ends the whole sign-in and is logged, because
 * nobody can tell which of the two was the thief. The one exception is the predecessor of the
 * current refresh token, for a minute (`refresh-grace.ts`): two processes of one client race for
 * it at every start. A text that only looks like a token, or a token of another kind, ends
 * nothing: anyone who saw its beginning could have made it up. A code is spent by any attempt to
 * exchange it, right or wrong. A sign-in belongs to one incarnation of its user: it is dead once
 * that user was removed, also when the same name is added again. It is refused then and not deleted:
 * another replica may know a newer configuration than this one.
 *
 * A shared store that fails over may lose the last moments of what it was told. A refresh token that
 * was handed out in those moments is newer than the sign-in in the store; its seal says so, which
 * nobody else can make, and it serves as the current one.
 */
import type { KeyObject } from 'node:crypto';
import type { Caller } from '../core/http/caller.ts';
import type { Log } from '../core/log/log.ts';
import { memoize } from '../core/memoize.ts';
import type { Store } from '../core/store/store.ts';
import type { Users } from '../core/users.ts';
import { extendClient, keepClient, releaseClient } from './kept-clients.ts';
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
import {
  isSameHash,
  mintedGeneration,
  newSignInId,
  type PresentedToken,
  readToken,
} from './token-text.ts';

export interface SignInsOptions {
  readonly store: Store;
  readonly users: Users;
  readonly log: Log;
  readonly settings: () => { readonly tokenTtlMs: number; readonly codeTtlMs: number };
  readonly now: () => number;
  /** Seals tokens, and can do nothing else; not in the store. */
  readonly sealKey: KeyObject;
}

type Spendable = 'code' | 'refresh_token';

/** What a sign-in becomes, and the tokens that come of it, if any do. */
interface Step {
  readonly record: SignIn;
  readonly tokens?: IssuedTokens;
  readonly isGrace?: boolean;
}

/** `spent` also stands for what never was a token of this sign-in. */
type Outcome = Step | 'refused' | 'spent';

export interface Grant {
  readonly tokens: IssuedTokens;
  readonly user: string;
  /** The refresh token was spent already, within the last minute, by another process. */
  readonly isGrace: boolean;
}

export interface Beginning extends Omit<NewSignIn, 'clientId'> {
  readonly client: Client;
  /** From where the user signs in. */
  readonly source: string;
}

/** Undefined wherever the presented code or token is not good; the caller is told no more. */
export class SignIns {
  readonly #options: SignInsOptions;
  /** The caller comes again with the same token. Where it leads is looked up every time. */
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
      if (!code || !isSameHash(code.hash, hash)) return 'spent';
      if (code.expiresAt > now() && isProven(current, code)) {
        return issueTokens(this.#minting(signInId), current, settings().tokenTtlMs);
      }
      return { record: spendCode(current) };
    });
  }

  /**
   * Gives new tokens for the current refresh token of this client, which is spent by it, and for one
   * that is newer than the store knows. For the predecessor of the last minute, gives a new access
   * token beside the current refresh token.
   */
  async refresh(text: string, clientId: string): Promise<Grant | undefined> {
    const { store, settings, now, sealKey } = this.#options;
    return this.#present(text, 'refresh_token', async (presented, current) => {
      const { signInId, hash } = presented;
      const { refresh } = current;
      const minting = this.#minting(signInId);
      const { tokenTtlMs } = settings();
      if (refresh && isSameHash(refresh.hash, hash)) {
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
   * Who calls with this access token: one look-up, and a hash at the first call. What a shared store
   * said a moment ago is good enough, unless the token has come since.
   */
  async callerOf(text: string): Promise<Caller | undefined> {
    const presented = this.#readAgain(text);
    if (!presented) return undefined;
    const { store, now } = this.#options;
    const { signInId, hash } = presented;
    const held = (signIn: SignIn | undefined) =>
      signIn?.access.find((token) => isSameHash(token.hash, hash));
    let current = await store.getRecent<SignIn>(SIGN_INS, signInId);
    if (current && !held(current)) current = await store.get<SignIn>(SIGN_INS, signInId);
    if (!current || (held(current)?.expiresAt ?? 0) <= now()) return undefined;
    const { user, incarnation, clientId } = current;
    return this.#isOfItsUser(current) ? { user, incarnation, clientId, signInId } : undefined;
  }

  /**
   * Takes the sign-in a step on by what was presented. The loser of a race repeats the lookup, and finds
   * what was presented spent. A code that was spent in vain is known as long as it would have
   * lasted.
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

  /** False when another was first. The grace begins before the rotation is seen by anybody. */
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
    await this.#end(signInId, clientId);
    this.#options.log.warn('token_reuse_detected', { user, client_id: clientId, kind });
    return undefined;
  }
  async #end(signInId: string, clientId: string): Promise<undefined> {
    const { store, now } = this.#options;
    await store.delete(SIGN_INS, signInId);
    await releaseClient(store, clientId, signInId, now());
    return undefined;
  }
}
