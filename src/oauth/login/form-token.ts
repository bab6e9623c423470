/**
 * The one-time token inside the sign-in form.
 *
 * Stops another site from posting a form of its own making (login CSRF) and a posted form
 * from being posted again. The token is sealed with a key that only this server has, over
 * the very request the form was shown for, so nothing is stored for a form that is merely
 * shown, however many are requested. Each used token is remembered until it would have expired
 * anyway; when the store has no room for more, the oldest are forgotten.
 */
import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Store } from '../../core/store/store.ts';

const USED_FORMS = 'used-forms';
export const FORM_TTL_MS = 10 * 60_000;
const NONCE_BYTES = 16;
/** Of all used tokens the oldest gives way, whoever it was shown to. */
const EVERYONE = '';
const FORM = /^([A-Za-z0-9_-]{22})\.([0-9]{1,15})\.([A-Za-z0-9_-]{43})$/;

export class FormTokens {
  readonly #store: Store;
  readonly #key: KeyObject;
  readonly #now: () => number;

  constructor(store: Store, key: KeyObject, now: () => number) {
    this.#store = store;
    this.#key = key;
    this.#now = now;
  }

  /** `subject` is everything the form was shown for. */
  seal(subject: readonly string[]): string {
    const nonce = randomBytes(NONCE_BYTES).toString('base64url');
    const expiresAt = this.#now() + FORM_TTL_MS;
    return `${nonce}.${expiresAt}.${this.#mac(nonce, expiresAt, subject)}`;
  }

  /**
   * True for a token of this server, for this subject, that is neither expired nor used. It
   * is used by that: of two calls one is true.
   */
  async use(token: string, subject: readonly string[]): Promise<boolean> {
    const opened = this.#open(token, subject);
    if (!opened) return false;
    const ttlMs = opened.expiresAt - this.#now();
    const lifetime = { ttlMs, evictable: true, source: EVERYONE } as const;
    return this.#store.replace(USED_FORMS, ownText(opened.nonce), undefined, {}, lifetime);
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
    return expiresAt > this.#now() ? { nonce, expiresAt } : undefined;
  }

  #mac(nonce: string, expiresAt: number, subject: readonly string[]): string {
    const sealed = JSON.stringify([nonce, expiresAt, ...subject]);
    return createHmac('sha256', this.#key).update(sealed).digest('base64url');
  }
}

/** A copy: a part of a text keeps the whole of it in memory, here the body that a stranger posted. */
function ownText(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
