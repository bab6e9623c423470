/**
 * The request state of a call in several rounds: what a tool gets back when the client calls again with
 * the answers.
 *
 * Prevents tampering (CWE-642): the state passes through the client, so it is sealed (HMAC-SHA256)
 * for one user, one method and one tool, and good for a day. It is not encrypted.
 */
import { createHmac, type KeyObject } from 'node:crypto';
import { isSameText } from '../../core/secrets/same-text.ts';
import { DAY_MS } from '../../core/time.ts';

const MAC_LETTERS = 43;

export class RequestStates {
  readonly #key: KeyObject;
  readonly #now: () => number;

  constructor(key: KeyObject, now: () => number) {
    this.#key = key;
    this.#now = now;
  }

  /** `subject` is who calls what. */
  seal(state: object, subject: readonly string[]): string {
    const text = JSON.stringify({ state, until: this.#now() + DAY_MS });
    return this.#sealed(text, subject);
  }

  /** Undefined for a state that was not sealed for this subject, or has expired. */
  open(sealed: string, subject: readonly string[]): object | undefined {
    const text = Buffer.from(sealed.slice(MAC_LETTERS), 'base64url').toString();
    if (!isSameText(sealed, this.#sealed(text, subject))) return undefined;
    const { state, until } = JSON.parse(text) as { state: object; until: number };
    return until > this.#now() ? state : undefined;
  }

  #sealed(text: string, subject: readonly string[]): string {
    const sealed = JSON.stringify([...subject, text]);
    const mac = createHmac('sha256', this.#key).update(sealed).digest('base64url');
    return mac + Buffer.from(text).toString('base64url');
  }
}
