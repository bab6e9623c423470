/**
 * The cookie that a sign-in form is bound to.
 *
 * Prevents login CSRF (RFC 6749, section 10.12): a form token that an attacker fetched serves in no
 * other browser, since the cookie it is bound to is not there.
 *
 * Each form has a separate cookie: an app opens the form from another site, so the browser does
 * not show us the cookie of a form that is open in another tab. The names repeat, so that a page
 * which opens forms over and over does not make the browser send more than a proxy reads.
 */
import { randomBytes, randomInt } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HostCookie } from '../../core/http/host-cookie.ts';

const MAX_FORMS = 64;
const VALUE_BYTES = 16;
const VALUE_FORM = /^[A-Za-z0-9_-]{22}$/;
const NUMBER_FORM = /^(?:[1-5]?[0-9]|6[0-3])$/;
/** Longer than a form is valid, to distinguish a form that is too old from a missing cookie. */
const MAX_AGE_S = 3_600;

export interface FormCookie {
  /** Which of the names it has; the form says it. */
  readonly number: string;
  readonly value: string;
}

export class FormCookies {
  readonly #publicUrl: string;
  #next = randomInt(MAX_FORMS);

  constructor(publicUrl: string) {
    this.#publicUrl = publicUrl;
  }

  /** Sends a cookie with the answer that shows a form: that of the form before it, or a new one. */
  set(reply: FastifyReply, cookie = this.#newCookie()): FormCookie {
    this.#numbered(cookie.number).set(reply, cookie.value, MAX_AGE_S);
    return cookie;
  }

  /** The cookie of the form with this number, where the browser sent exactly one. */
  find(request: FastifyRequest, number: string): FormCookie | undefined {
    const value = NUMBER_FORM.test(number) ? this.#numbered(number).read(request) : undefined;
    return value !== undefined && VALUE_FORM.test(value) ? { number, value } : undefined;
  }

  /** For a form that was posted: it is never posted again. */
  clear(reply: FastifyReply, { number }: FormCookie): void {
    this.#numbered(number).clear(reply);
  }

  #numbered(number: string): HostCookie {
    return new HostCookie(this.#publicUrl, `form-${number}`);
  }

  #newCookie(): FormCookie {
    const number = String(this.#next);
    this.#next = (this.#next + 1) % MAX_FORMS;
    return { number, value: randomBytes(VALUE_BYTES).toString('base64url') };
  }
}
