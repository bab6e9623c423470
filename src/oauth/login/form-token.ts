/**
 * The one-time token inside the sign-in form.
 *
 * Prevents login CSRF, and replay of a posted form. The token is a MAC over the request that the form
 * was shown for, so nothing is stored for a form that is only shown. A used token is stored until it
 * expires; when the table is full, the oldest give way.
 */
import { createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { isSameText } from '../../core/secrets/same-text.ts';
import type { Store } from '../../core/store/store.ts';

const USED_FORMS = 'used-forms';
export const FORM_TTL_MS = 10 * 60_000;
const NONCE_BYTES = 16;
/** One source for all used tokens, so that the oldest of all gives way. */
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

  /** Uses a token up: true for one call, while it has not expired and is for this subject. */
  async use(token: string, subject: readonly string[]): Promise<boolean> {
    const [, nonce = '', digits = '0', mac = ''] = FORM.exec(token) ?? [];
    const expiresAt = Number(digits);
    const ttlMs = expiresAt - this.#now();
    if (ttlMs <= 0 || !isSameText(mac, this.#mac(nonce, expiresAt, subject))) return false;
    const lifetime = { ttlMs, evictable: true, source: EVERYONE } as const;
    return this.#store.replace(USED_FORMS, ownText(nonce), undefined, {}, lifetime);
  }

  #mac(nonce: string, expiresAt: number, subject: readonly string[]): string {
    const sealed = JSON.stringify([nonce, expiresAt, ...subject]);
    return createHmac('sha256', this.#key).update(sealed).digest('base64url');
  }
}

/** A copy: V8 keeps the whole posted body in memory for a slice of it. */
function ownText(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
