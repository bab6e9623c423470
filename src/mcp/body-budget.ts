/**
 * A memory budget for request bodies, each of which is held until its request is answered.
 *
 * Prevents memory exhaustion (CWE-770) by a signed-in user who begins many large requests and ends
 * none, or runs many calls with large arguments at once. The bodies of a user take at most half of what
 * others have left. Small bodies are not counted, since connections are limited, too.
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
  place(user: string, onAnswered: (callback: () => void) => void): BodyPlace {
    return new BodyPlace(user, this.#share, onAnswered);
  }
}

/** The place of one body, which is left when the request is answered. */
export class BodyPlace {
  readonly #user: string;
  readonly #share: FairShare;
  readonly #onAnswered: (callback: () => void) => void;
  #bytes = 0;

  constructor(user: string, share: FairShare, onAnswered: (callback: () => void) => void) {
    this.#user = user;
    this.#share = share;
    this.#onAnswered = onAnswered;
  }

  /**
   * Reserves room for `most` bytes once there are, or will be, so many that they count; says why
   * there is none.
   */
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

  /** The body has come, and is no longer than this. */
  settle(bytes: number): void {
    this.#share.giveBack(this.#user, Math.max(0, this.#bytes - bytes));
    this.#bytes = Math.min(this.#bytes, bytes);
  }
}

function busy(status: number, message: string): RpcError {
  return new RpcError(BUSY, message, { status, retryAfterS: RETRY_AFTER_S });
}
