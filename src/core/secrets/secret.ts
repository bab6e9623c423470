/**
 * A value that must never be printed.
 *
 * Every ordinary way to turn a Secret into text (string conversion, JSON, console,
 * template literals, util.inspect) yields `[REDACTED]`. The plain value is reachable
 * through `reveal()` alone, which few places call: injection and token requests, which put it into an
 * outbound request; the requests to an embeddings endpoint and to a webhook; the codes of a second
 * factor; the keys that sign a request; the
 * credential helper of git; the connection to a shared store; the derivation of the decoys' keys and
 * of the keys of seals; and the redactor, which removes it from everything else. `src/architecture.test.ts` enforces that.
 */
import { inspect } from 'node:util';
import { isEnumerable } from './guess-bits.ts';
import { isSameText } from './same-text.ts';

export const REDACTED = '[REDACTED]';

/** Secrets with fewer characters are not redacted: they would turn up in answers by chance. */
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

  /** Whether a machine can try all values that people choose so: see `guess-bits.ts`. */
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
