/**
 * Limits the memory that all responses together use while they are buffered and sent.
 *
 * Prevents memory exhaustion (CWE-770) by concurrent large responses. A response over 64 KiB waits,
 * its upstream paused, until its cap can be reserved; the reservation lasts until the response has
 * been sent (`src/mcp/exchange.ts` disconnects a client that does not read). Small responses need no
 * reservation as long as all of them together fit into the same number of bytes.
 *
 * Reservations are granted in order. One user holds at most half of the budget, so that a slow
 * upstream or client delays nobody else; a larger response counts as that half.
 */

import { collectGarbage } from '../../core/garbage.ts';
import { Tally } from '../../core/limits/fair-share.ts';

const BUDGET_BYTES = 8 * 1024 * 1024;
/** Up to this decoded size a response is small. */
const SMALL_BYTES = 64 * 1024;
/** Up to this size it is not counted at all: connections are limited, too. */
const TINY_BYTES = 4 * 1024;

interface Waiting {
  readonly user: string;
  readonly bytes: number;
  readonly grant: () => void;
}

export class ResponseBudget {
  readonly #bytes: number;
  readonly #bytesPerUser: number;
  readonly #reserved = new Tally();
  /** Held by small responses, which have reserved nothing. */
  readonly #small = new Tally();
  /** What released responses held since the last garbage collection. */
  #garbage = 0;
  readonly #queue: Waiting[] = [];

  constructor(bytes = BUDGET_BYTES) {
    this.#bytes = bytes;
    this.#bytesPerUser = bytes / 2;
  }

  reservation(user: string, capBytes: number): Reservation {
    return new Reservation(this, user, Math.min(capBytes, this.#bytesPerUser));
  }

  addSmall(user: string, bytes: number): void {
    this.#small.add(user, bytes);
  }

  fitsSmall(user: string): boolean {
    return this.#small.total <= this.#bytes && this.#small.of(user) <= this.#bytesPerUser;
  }

  enqueue(waiting: Waiting): void {
    this.#queue.push(waiting);
    this.#grantNext();
  }

  /** Ends a wait, or a granted reservation, whose response held that many bytes. */
  release(waiting: Waiting, heldBytes: number): void {
    const at = this.#queue.indexOf(waiting);
    if (at === -1) {
      this.#reserved.add(waiting.user, -waiting.bytes);
      this.#collect(heldBytes);
    } else {
      this.#queue.splice(at, 1);
    }
    this.#grantNext();
  }

  #collect(releasedBytes: number): void {
    this.#garbage += releasedBytes;
    if (this.#garbage < this.#bytes) return;
    this.#garbage = 0;
    collectGarbage();
  }

  #grantNext(): void {
    for (const waiting of [...this.#queue]) {
      const { user, bytes } = waiting;
      if (this.#reserved.of(user) + bytes > this.#bytesPerUser) continue;
      if (this.#reserved.total + bytes > this.#bytes) break;
      this.#queue.splice(this.#queue.indexOf(waiting), 1);
      this.#reserved.add(user, bytes);
      waiting.grant();
    }
  }
}

/** The reservation of one response. `release` must be called, whether or not it was granted. */
export class Reservation {
  readonly #budget: ResponseBudget;
  readonly #user: string;
  readonly #bytes: number;
  #waiting: Waiting | undefined;
  #whenGranted: Promise<void> | undefined;
  #isGranted = false;
  #heldBytes = 0;
  /** How much of that is counted as held by a small response. */
  #smallBytes = 0;

  constructor(budget: ResponseBudget, user: string, bytes: number) {
    this.#budget = budget;
    this.#user = user;
    this.#bytes = bytes;
  }

  get isGranted(): boolean {
    return this.#isGranted;
  }

  /** Counts further bytes of the response; false if they must be reserved before they are kept. */
  hold(bytes: number): boolean {
    this.#heldBytes += bytes;
    if (this.#isGranted || this.#heldBytes <= TINY_BYTES) return true;
    this.#countSmall(Math.min(this.#heldBytes, SMALL_BYTES));
    return this.#heldBytes <= SMALL_BYTES && this.#budget.fitsSmall(this.#user);
  }

  /** Resolves once the cap of the response is reserved. */
  reserve(): Promise<void> {
    this.#whenGranted ??= new Promise((resolve) => {
      const grant = () => {
        this.#isGranted = true;
        this.#countSmall(0);
        resolve();
      };
      this.#waiting = { user: this.#user, bytes: this.#bytes, grant };
      this.#budget.enqueue(this.#waiting);
    });
    return this.#whenGranted;
  }

  releaseWhenSent(onSent: (callback: () => void) => void): void {
    if (this.#isGranted || this.#smallBytes > 0) onSent(() => this.release());
    else this.release();
  }

  release(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#isGranted = false;
    this.#countSmall(0);
    if (waiting) this.#budget.release(waiting, this.#heldBytes);
  }

  #countSmall(bytes: number): void {
    if (bytes === this.#smallBytes) return;
    this.#budget.addSmall(this.#user, bytes - this.#smallBytes);
    this.#smallBytes = bytes;
  }
}
