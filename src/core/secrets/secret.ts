/**
 * A value that must never be printed.
 *
 * Every ordinary way to turn a Secret into text (string conversion, JSON, console,
 * template literals, util.inspect) yields `[REDACTED]`. Only `reveal()` returns the value. The files that
 * may call it are listed in `src/architecture.test.ts`: those that put it into an outbound request or a
 * connection, sign with it, or derive a key from it, and the redactor.
 */
import { inspect } from 'node:util';
import { isEnumerable } from './guess-bits.ts';
import { isSameText } from './same-text.ts';

export const REDACTED = '[REDACTED]';

/** Shorter secrets are not redacted: they would occur in answers by chance. */
export const REDACTION_FLOOR = 8;

/** Of the keys that an operator sets for metrics and decoys, in characters. */
export const MIN_KEY_LENGTH = 16;

export class Secret {
  readonly name: string;
  readonly #value: string;

  constructor(name: string, value: string) {
    this.name = name;
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /** The number of characters (code points), for the redaction floor and length rules. */
  get length(): number {
    return [...this.#value].length;
  }

  /** Whether a header can carry the value: no line break and no other control character. */
  get fitsHeader(): boolean {
    return !/[\0-\x08\x0a-\x1f\x7f]/.test(this.#value);
  }

  get isHttpUrl(): boolean {
    const url = URL.parse(this.#value);
    return (
      url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
    );
  }

  /** Whether it can be presented as a bearer token: visible ASCII, without spaces. */
  get fitsBearer(): boolean {
    return /^[\x21-\x7e]+$/.test(this.#value);
  }

  /** Whether a dictionary attack can find the value; see `guess-bits.ts`. */
  get isEnumerable(): boolean {
    return isEnumerable(this.#value);
  }

  /** Compares in constant time; a differing length is not hidden. */
  equals(presented: string | Secret): boolean {
    return isSameText(this.#value, typeof presented === 'string' ? presented : presented.#value);
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return `Secret(${this.name})`;
  }
}
