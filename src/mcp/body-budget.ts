/**
 * A memory budget for request bodies, each of which is held until its request is answered.
 *
 * Prevents memory exhaustion (CWE-770) by a signed-in user who begins many large requests and ends
 * none, or runs many calls with large arguments at once. The bodies of a user take at most half of what
 * others leave free. Small bodies are not counted, since connections are limited, too.
 */
import { BODY_LIMIT_BYTES } from '../core/http/server.ts';
import { FairShare } from '../core/limits/fair-share.ts';
import { BUSY, RpcError } from './jsonrpc.ts';

const MAX_BYTES = 4 * BODY_LIMIT_BYTES;
const SMALL_BYTES = 16 * 1024;
const RETRY_AFTER_S = 5;

export class BodyBudget {
  readonly #share = new FairShare(MAX_BYTES);

  /** `onAnswered` calls back once the request is answered, or its client is gone. */
  reservation(user: string, onAnswered: (callback: () => void) => void): BodyReservation {
    return new BodyReservation(user, this.#share, onAnswered);
  }
}

/** The reservation of one body, which is released when the request is answered. */
export class BodyReservation {
  readonly #user: string;
  readonly #share: FairShare;
  readonly #onAnswered: (callback: () => void) => void;
  #bytes = 0;

  constructor(user: string, share: FairShare, onAnswered: (callback: () => void) => void) {
    this.#user = user;
    this.#share = share;
    this.#onAnswered = onAnswered;
  }

  /** Reserves `most` bytes once the body is not small any more; returns the refusal if it cannot. */
  take(bytes: number, most: number): RpcError | undefined {
    if (bytes <= SMALL_BYTES || this.#bytes > 0) return undefined;
    if (this.#share.take(this.#user, most)) {
      this.#bytes = most;
      this.#onAnswered(() => this.settle(0));
      return undefined;
    }
    return this.#share.of(this.#user) > 0
      ? busy(429, 'your other large requests leave no room for this one; send fewer at once')
      : busy(503, 'the large requests of others leave no room for this one; try again later');
  }

  /** The body is complete and has this length. */
  settle(bytes: number): void {
    this.#share.giveBack(this.#user, Math.max(0, this.#bytes - bytes));
    this.#bytes = Math.min(this.#bytes, bytes);
  }
}

function busy(status: number, message: string): RpcError {
  return new RpcError(BUSY, message, { status, retryAfterS: RETRY_AFTER_S });
}
