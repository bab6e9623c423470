/**
 * The values that are secret for one call only, such as the signature of its request: redacted from
 * its answer, beside what is redacted for every call.
 */
import { type Redaction, Redactor } from '../../core/redactor/redactor.ts';
import { RedactorChain } from '../../core/redactor/redactor-chain.ts';
import type { Secret } from '../../core/secrets/secret.ts';

export class CallSecrets {
  readonly #secrets: Secret[] = [];
  #chain:
    | { readonly base: Redactor; readonly count: number; readonly whole: Redaction }
    | undefined;

  add(secret: Secret): void {
    this.#secrets.push(secret);
  }

  /** The same object for the same values, since a body that streams in compares them. */
  redaction(base: Redactor): Redaction {
    const count = this.#secrets.length;
    if (count === 0) return base;
    if (this.#chain?.base !== base || this.#chain.count !== count) {
      const whole = new RedactorChain(Redactor.of(this.#secrets), base);
      this.#chain = { base, count, whole };
    }
    return this.#chain.whole;
  }
}
