/**
 * Redactors, by whom they are for. Building one takes half a millisecond a secret, so it is built
 * anew only where the values are others: a reload that changes a description costs nobody anything.
 */
import { Redactor } from '../../core/redactor/redactor.ts';
import type { Secret } from '../../core/secrets/secret.ts';

interface Kept {
  readonly secrets: readonly Secret[];
  readonly redactor: Redactor;
}

export class KeptRedactors {
  #current = new Map<string, Kept>();
  /** Those from before the values were last looked at. */
  #former = new Map<string, Kept>();

  of(key: string, secretsOf: () => readonly Secret[]): Redactor {
    const current = this.#current.get(key);
    if (current) return current.redactor;
    const secrets = secretsOf();
    const former = this.#former.get(key);
    const kept =
      former && isSame(former.secrets, secrets)
        ? former
        : { secrets, redactor: Redactor.of(secrets) };
    this.#former.delete(key);
    this.#current.set(key, kept);
    return kept.redactor;
  }

  /** The values may be others now. */
  invalidate(): void {
    this.#former = new Map([...this.#former, ...this.#current]);
    this.#current = new Map();
  }

  forget(key: string): void {
    this.#current.delete(key);
    this.#former.delete(key);
  }
}

function isSame(some: readonly Secret[], others: readonly Secret[]): boolean {
  return some.length === others.length && some.every((one, place) => one.equals(others[place]!));
}
