/**
 * The second factor of a user: a code of an authenticator app.
 *
 * Prevents replay of a code (RFC 6238, section 5.2): the step of the last code is stored per user, and
 * no code of that step or an earlier one is accepted again, on any replica. The clock of the phone may
 * be one step off.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../core/secrets/secret.ts';
import { TOTP_DIGITS, TOTP_STEP_MS, totpCode } from '../../core/secrets/totp.ts';
import type { Store } from '../../core/store/store.ts';

const STEPS = 'totp-steps';
const DRIFT = [0, -1, 1];
/** Longer than any code is good for. */
const KEPT = { ttlMs: 10 * TOTP_STEP_MS, evictable: false } as const;

export interface SecondFactor {
  /** Whether this user is asked for a code. */
  isNeeded(user: string): boolean;
  /** True for a right code that was not used before. */
  check(user: string, code: string): Promise<boolean>;
}

export class TotpFactor implements SecondFactor {
  readonly #store: Store;
  readonly #secretOf: (user: string) => Secret | undefined;
  readonly #wallNow: () => number;

  constructor(
    store: Store,
    secretOf: (user: string) => Secret | undefined,
    wallNow: () => number = Date.now,
  ) {
    this.#store = store;
    this.#secretOf = secretOf;
    this.#wallNow = wallNow;
  }

  isNeeded(user: string): boolean {
    return this.#secretOf(user) !== undefined;
  }

  async check(user: string, code: string): Promise<boolean> {
    const secret = this.#secretOf(user);
    if (!secret || code.length !== TOTP_DIGITS || !/^\d+$/.test(code)) return false;
    const now = Math.floor(this.#wallNow() / TOTP_STEP_MS);
    const presented = Buffer.from(code);
    const steps = DRIFT.map((drift) => now + drift).filter((step) =>
      timingSafeEqual(Buffer.from(totpCode(secret, step)), presented),
    );
    const last = await this.#store.get<{ readonly step: number }>(STEPS, user);
    const step = steps.find((one) => one > (last?.step ?? -1));
    return step !== undefined && this.#store.replace(STEPS, user, last, { step }, KEPT);
  }
}
