/**
 * The time a call may take, from the lookup to the last byte of the body, over all hops.
 * Its signal also fires when the client hangs up; `refusal` tells the two apart.
 */
import { Refusal } from '../refusal.ts';

export class Deadline {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #client: AbortSignal;
  readonly #onHangUp = () => this.#controller.abort();

  constructor(timeoutMs: number, client: AbortSignal) {
    this.signal = this.#controller.signal;
    this.#client = client;
    this.#timer = setTimeout(() => this.#controller.abort(), timeoutMs);
    client.addEventListener('abort', this.#onHangUp);
    if (client.aborted) this.#controller.abort();
  }

  /** Why the signal fired. */
  refusal(): Refusal {
    return this.#client.aborted
      ? new Refusal('cancelled', 'the client ended the call')
      : new Refusal('upstream_timeout', 'the upstream did not answer in time');
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#client.removeEventListener('abort', this.#onHangUp);
  }
}
