/**
 * How much of the memory all answers together may take while they are gathered and sent.
 *
 * Prevents memory exhaustion (CWE-770) by many answers at once: an answer over 64 KiB waits here,
 * its upstream held back, until there is room for its cap. Smaller ones pass as long as those of
 * all users together are within the same number of bytes, and wait like the others after that. A
 * place is kept until the answer has been sent; a client that does not read is cut off
 * (`src/mcp/exchange.ts`). First come, first served, but one user's answers take half of the room
 * at most: a slow upstream, or a client that does not read, holds up nobody else. A larger answer
 * counts as that half, so that of these there are two at most.
 */

import { collectGarbage } from '../../core/garbage.ts';
import { Tally } from '../../core/limits/fair-share.ts';

const ROOM_BYTES = 8 * 1024 * 1024;
/** An answer up to this size, as it is decoded, passes without its cap being reserved. */
const SMALL_BYTES = 64 * 1024;
/** So little is not even counted: connections are limited, too. */
const TINY_BYTES = 4 * 1024;

interface Waiting {
  readonly user: string;
  readonly bytes: number;
  readonly enter: () => void;
}

export class ResponseBudget {
  readonly #bytes: number;
  /** Of one user. */
  readonly #share: number;
  readonly #taken = new Tally();
  /** Held by small answers, which have reserved nothing. */
  readonly #small = new Tally();
  /** What was held by answers that left, since the last collection. */
  #dropped = 0;
  readonly #queue: Waiting[] = [];

  constructor(bytes = ROOM_BYTES) {
    this.#bytes = bytes;
    this.#share = bytes / 2;
  }

  place(user: string, capBytes: number): AnswerPlace {
    return new AnswerPlace(this, user, Math.min(capBytes, this.#share));
  }

  /** Counts what a small answer holds, or no longer holds. */
  countSmall(user: string, bytes: number): void {
    this.#small.add(user, bytes);
  }

  hasRoomForSmall(user: string): boolean {
    return this.#small.total <= this.#bytes && this.#small.of(user) <= this.#share;
  }

  /** Resolves once the bytes are taken. */
  take(waiting: Waiting): void {
    this.#queue.push(waiting);
    this.#admit();
  }

  giveBack({ user, bytes }: Waiting, held: number): void {
    this.#taken.add(user, -bytes);
    this.#dropped += held;
    if (this.#dropped >= this.#bytes) {
      this.#dropped = 0;
      collectGarbage();
    }
    this.#admit();
  }

  leaveQueue(waiting: Waiting): void {
    const at = this.#queue.indexOf(waiting);
    if (at !== -1) this.#queue.splice(at, 1);
    this.#admit();
  }

  #admit(): void {
    for (const waiting of [...this.#queue]) {
      const { user, bytes } = waiting;
      if (this.#taken.of(user) + bytes > this.#share) continue;
      if (this.#taken.total + bytes > this.#bytes) break;
      this.#queue.splice(this.#queue.indexOf(waiting), 1);
      this.#taken.add(user, bytes);
      waiting.enter();
    }
  }
}

/** One answer's place. `leave` must be called, whether or not it ever entered. */
export class AnswerPlace {
  readonly #room: ResponseBudget;
  readonly #user: string;
  readonly #bytes: number;
  #entry: Promise<void> | undefined;
  #waiting: Waiting | undefined;
  #state: 'outside' | 'waiting' | 'inside' = 'outside';
  #held = 0;
  /** What of it counts as held by a small answer. */
  #small = 0;

  constructor(room: ResponseBudget, user: string, bytes: number) {
    this.#room = room;
    this.#user = user;
    this.#bytes = bytes;
  }

  get isInside(): boolean {
    return this.#state === 'inside';
  }

  /** How many bytes the answer has so far. */
  get held(): number {
    return this.#held;
  }

  /** The answer has so many bytes more; false where the place must be entered to keep them. */
  hold(bytes: number): boolean {
    this.#held += bytes;
    if (this.#state === 'inside' || this.#held <= TINY_BYTES) return true;
    this.#countSmall(Math.min(this.#held, SMALL_BYTES));
    return this.#held <= SMALL_BYTES && this.#room.hasRoomForSmall(this.#user);
  }

  enter(): Promise<void> {
    this.#entry ??= new Promise((resolve) => {
      this.#state = 'waiting';
      this.#waiting = {
        user: this.#user,
        bytes: this.#bytes,
        enter: () => {
          this.#state = 'inside';
          this.#countSmall(0);
          resolve();
        },
      };
      this.#room.take(this.#waiting);
    });
    return this.#entry;
  }

  /** The answer is on its way: the place is left when `onSent` calls back. */
  leaveWhenSent(onSent: (callback: () => void) => void): void {
    if (this.#state === 'inside' || this.#small > 0) onSent(() => this.leave());
    else this.leave();
  }

  leave(): void {
    if (this.#waiting) {
      if (this.#state === 'inside') this.#room.giveBack(this.#waiting, this.#held);
      else this.#room.leaveQueue(this.#waiting);
    }
    this.#state = 'outside';
    this.#waiting = undefined;
    this.#countSmall(0);
  }

  #countSmall(bytes: number): void {
    if (bytes === this.#small) return;
    this.#room.countSmall(this.#user, bytes - this.#small);
    this.#small = bytes;
  }
}
