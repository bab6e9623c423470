/** Caches redactors, which take half a millisecond per secret to build, until their secrets change. */
import { Redactor } from '../../core/redactor/redactor.ts';
import type { Secret } from '../../core/secrets/secret.ts';

interface Entry {
  readonly secrets: readonly Secret[];
  readonly redactor: Redactor;
  readonly version: number;
}

export class RedactorCache {
  readonly #entries = new Map<string, Entry>();
  #version = 0;

  of(key: string, secretsOf: () => readonly Secret[]): Redactor {
    const known = this.#entries.get(key);
    if (known?.version === this.#version) return known.redactor;
    const secrets = secretsOf();
    const redactor =
      known && areEqual(known.secrets, secrets) ? known.redactor : Redactor.of(secrets);
    this.#entries.set(key, { secrets, redactor, version: this.#version });
    return redactor;
  }

  /** Secrets may have changed: each entry is compared with them before its next use. */
  invalidate(): void {
    this.#version += 1;
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }
}

function areEqual(some: readonly Secret[], others: readonly Secret[]): boolean {
  return some.length === others.length && some.every((one, at) => one.equals(others[at]!));
}
