/**
 * Lets one replica at a time spend a refresh token, and gives the others what it got.
 *
 * Prevents a lost sign-in: a provider that rotates refresh tokens takes the second use of one for a
 * theft and ends the grant (RFC 9700, section 4.14.2). A token is spent only under a lease in the
 * store, early enough to be answered before the lease ends: a holder that is killed delays the
 * others and costs nothing. The new token is in the store, sealed, before it is used or written to a
 * file; the file of another replica follows when that replica needs a token.
 */
import { hash, type KeyObject, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyFor } from '../../core/secrets/derive-key.ts';
import { seal, unseal } from '../../core/secrets/seal.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { StoreUnavailable } from '../../core/store/shared-store.ts';
import type { Store } from '../../core/store/store.ts';
import { DAY_MS } from '../../core/time.ts';
import { CredentialError } from './credential-error.ts';
import {
  DEFAULT_LIFE_MS,
  type ExposedPart,
  type MintContext,
  type Minted,
  RENEW_AT,
  type RefreshTokens,
} from './minted.ts';

const LEASES = 'refresh-leases';
const GRANTS = 'refreshed-grants';
const KEPT = { ttlMs: 400 * DAY_MS, evictable: false } as const;
/** How long a token request may take, so that a lease can be short. */
export const MAX_REQUEST_MS = 10_000;
/** The second request is for a token that another process wrote to the file. */
const REQUESTS_A_LEASE = 2;
const SLACK_MS = 3_000;
const MAX_WAITS = 3;
const POLL_MS = 200;
/** A file that is further behind counts as written by the operator. */
const MAX_SPENT = 500;

/** What the replicas know of a grant. */
interface Grant {
  readonly refreshToken: string;
  /** Digests of its predecessors, oldest first: a file with one of them is behind. */
  readonly spent: readonly string[];
  /** What came with the refresh token, by the wall clock. */
  readonly access?: { readonly token: string; readonly at: number; readonly lifetimeMs: number };
}

/** As the store has it. */
interface Sealed {
  readonly sealed: string;
}

/** A replica that needs a token. */
interface Need {
  /** The same on every replica with the same definition of the secret. */
  readonly key: string;
  readonly context: MintContext;
  readonly file: RefreshTokens;
  /** The token it had before. */
  readonly had: Secret | undefined;
  readonly requestMs: number;
}

type Mint = (context: MintContext) => Promise<Minted>;

export class SharedRefresh {
  readonly #store: Store;
  readonly #key: KeyObject;

  constructor(store: Store, sealKey: Secret | undefined) {
    this.#store = store;
    this.#key = keyFor('refreshed grants', sealKey);
  }

  /** The token that another replica obtained, or the one that `mint` obtains with the newest refresh token. */
  async run(need: Need, mint: Mint): Promise<Minted> {
    const place = hash('sha256', need.key);
    const leaseMs = REQUESTS_A_LEASE * need.requestMs + SLACK_MS;
    const lease = { holder: randomUUID() };
    const giveUpAt = performance.now() + MAX_WAITS * leaseMs;
    try {
      while (performance.now() < giveUpAt) {
        const adopted = await adopt((await this.#read(place)).grant, need);
        if (adopted) return adopted;
        const endsAt = performance.now() + leaseMs;
        const life = { ttlMs: leaseMs, evictable: false } as const;
        if (await this.#store.replace(LEASES, place, undefined, lease, life)) {
          return await this.#hold(place, lease, endsAt, need, mint);
        }
        await sleep(POLL_MS, undefined, { ref: false });
      }
      throw new CredentialError('timeout');
    } catch (error) {
      throw error instanceof StoreUnavailable ? new CredentialError('store_unavailable') : error;
    }
  }

  async #hold(place: string, lease: object, endsAt: number, need: Need, mint: Mint) {
    let unstored: Grant | undefined;
    let { grant, record } = await this.#read(place);
    const keep = async (next: Grant) => {
      grant = next;
      const kept = await this.#write(place, record, next).catch(() => undefined);
      record = kept ?? record;
      unstored = kept ? undefined : next;
    };
    try {
      // The last holder may have stored a token after the first look and before this lease.
      return (await adopt(grant, need)) ?? (await spend());
    } finally {
      // The lease stays until the newest token is stored: no other replica may spend an older one.
      if (unstored) void this.#writeLater(place, record, unstored);
      else await this.#store.deleteIf(LEASES, place, lease).catch(() => {});
    }

    async function spend(): Promise<Minted> {
      const { context, file, requestMs } = need;
      const values: Partial<Record<ExposedPart, string>> = {};
      const minted = await mint({
        ...context,
        expose: (part, value) => {
          values[part] = value;
          return context.expose(part, value);
        },
        refreshTokens: {
          read: async () => {
            if (endsAt - performance.now() < requestMs) throw new CredentialError('timeout');
            return newest(grant, await tokenIn(file, grant));
          },
          replace: async (from, to) => {
            const spent = [...spentFor(from), digestOf(from)].slice(-MAX_SPENT);
            await keep({ refreshToken: to, spent });
            await file.replace(from, to);
          },
        },
      });
      const refreshToken = values.refresh_token!;
      const { lifetimeMs = DEFAULT_LIFE_MS } = minted;
      const access = { token: values.token!, at: context.wallNowMs(), lifetimeMs };
      await keep({ refreshToken, spent: spentFor(refreshToken), access });
      return minted;
    }

    /** A token that the store does not know comes from a newer sign-in, so the stored one is spent. */
    function spentFor(token: string): readonly string[] {
      if (!grant || grant.refreshToken === token) return grant?.spent ?? [];
      return [...grant.spent, digestOf(grant.refreshToken)];
    }
  }

  async #read(place: string): Promise<{ grant?: Grant; record?: Sealed }> {
    const record = await this.#store.get<Sealed>(GRANTS, place);
    if (!record) return {};
    try {
      return { record, grant: JSON.parse(unseal(record.sealed, this.#key, place)) };
    } catch {
      // Sealed with another key.
      return { record };
    }
  }

  /** Undefined if another replica has changed the record. */
  async #write(
    place: string,
    current: Sealed | undefined,
    grant: Grant,
  ): Promise<Sealed | undefined> {
    const next = { sealed: seal(JSON.stringify(grant), this.#key, place) };
    return (await this.#store.replace(GRANTS, place, current, next, KEPT)) ? next : undefined;
  }

  async #writeLater(place: string, current: Sealed | undefined, grant: Grant): Promise<void> {
    for (;;) {
      await sleep(POLL_MS, undefined, { ref: false });
      try {
        await this.#write(place, current, grant);
        return;
      } catch {
        // The store is still out of reach.
      }
    }
  }
}

/** Another replica's token, where it is not the one that this replica had, nor due for renewal. */
async function adopt(grant: Grant | undefined, need: Need): Promise<Minted | undefined> {
  const { context, file, had } = need;
  if (!grant?.access || had?.equals(grant.access.token)) return undefined;
  const { refreshToken, access } = grant;
  const ageMs = Math.max(0, context.wallNowMs() - access.at);
  if (ageMs >= access.lifetimeMs * RENEW_AT) return undefined;
  const own = await tokenIn(file, grant);
  if (newest(grant, own) !== refreshToken) return undefined;
  context.expose('refresh_token', refreshToken);
  if (own !== refreshToken) await file.replace(own ?? '', refreshToken);
  const token = context.expose('token', access.token);
  return { token, lifetimeMs: access.lifetimeMs - ageMs, status: undefined };
}

/** The file of a new replica may be missing. */
async function tokenIn(file: RefreshTokens, grant: Grant | undefined): Promise<string | undefined> {
  try {
    return await file.read();
  } catch (error) {
    if (grant) return undefined;
    throw error;
  }
}

function newest(grant: Grant | undefined, own: string | undefined): string {
  if (!grant) return own!;
  return own === undefined || grant.spent.includes(digestOf(own)) ? grant.refreshToken : own;
}

function digestOf(token: string): string {
  return hash('sha256', token, 'base64url').slice(0, 22);
}
