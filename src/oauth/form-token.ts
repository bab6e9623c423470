/**
 * The one-time token inside the sign-in form.
 *
 * Stops another site from posting a form of its own making (login CSRF) and a posted form
 * from being posted again. The token is sealed with a key that only this process has, over
 * the very request the form was shown for, so nothing is stored for a form that is merely
 * shown, however many are requested. Each used token is remembered until it would have expired
 * anyway; beyond `MAX_REMEMBERED` the oldest are forgotten.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export const FORM_TTL_MS = 10 * 60_000;
const NONCE_BYTES = 16;
const MAX_REMEMBERED = 10_000;
const FORM = /^([A-Za-z0-9_-]{22})\.([0-9]{1,15})\.([A-Za-z0-9_-]{43})$/;

export class FormTokens {
  readonly #key = randomBytes(32);
  readonly #now: () => number;
  /** Nonce to expiry, oldest first. */
  readonly #used = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** `subject` is everything the form was shown for. */
  seal(subject: readonly string[]): string {
    const nonce = randomBytes(NONCE_BYTES).toString('base64url');
    const expiresAt = this.#now() + FORM_TTL_MS;
    return `${nonce}.${expiresAt}.${this.#mac(nonce, expiresAt, subject)}`;
  }

  /**
   * True for a token of this process, for this subject, that is neither expired nor used. It
   * is used by that: of two calls one is true.
   */
  use(token: string, subject: readonly string[]): boolean {
    const opened = this.#open(token, subject);
    if (!opened) return false;
    this.#forgetOld();
    this.#used.set(ownText(opened.nonce), opened.expiresAt);
    return true;
  }

  #open(
    token: string,
    subject: readonly string[],
  ): { nonce: string; expiresAt: number } | undefined {
    const match = FORM.exec(token);
    if (!match) return undefined;
    const [, nonce = '', digits, mac = ''] = match;
    const expiresAt = Number(digits);
    const expected = this.#mac(nonce, expiresAt, subject);
    if (!timingSafeEqual(Buffer.from(mac), Buffer.from(expected))) return undefined;
    return expiresAt > this.#now() && !this.#used.has(nonce) ? { nonce, expiresAt } : undefined;
  }

  #mac(nonce: string, expiresAt: number, subject: readonly string[]): string {
    const sealed = JSON.stringify([nonce, expiresAt, ...subject]);
    return createHmac('sha256', this.#key).update(sealed).digest('base64url');
  }

  #forgetOld(): void {
    for (const [nonce, expiresAt] of this.#used) {
      if (expiresAt > this.#now() && this.#used.size < MAX_REMEMBERED) return;
      this.#used.delete(nonce);
    }
  }
}

/** A copy: a part of a text keeps the whole of it in memory, here the body that a stranger posted. */
function ownText(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
