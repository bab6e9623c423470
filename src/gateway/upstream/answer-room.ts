/**
 * How much of the memory all answers together may take while they are gathered and sent.
 *
 * Stops exhaustion by many large answers at once: an answer that grows beyond a little waits
 * here, its upstream held back, until there is room for its cap. It keeps its place until it
 * has been sent, or a short while, so that a client that does not read holds nobody up. First
 * come, first served; an answer larger than all the room gets it alone.
 */
import { collectGarbage } from '../../core/garbage.ts';

const ROOM_BYTES = 8 * 1024 * 1024;
const SENDING_MS = 1_000;

interface Waiting {
  readonly bytes: number;
  readonly enter: () => void;
}

export class AnswerRoom {
  readonly #bytes: number;
  #taken = 0;
  /** What was held by answers that left, since the last collection. */
  #dropped = 0;
  readonly #queue: Waiting[] = [];

  constructor(bytes = ROOM_BYTES) {
    this.#bytes = bytes;
  }

  place(capBytes: number): AnswerPlace {
    return new AnswerPlace(this, Math.min(capBytes, this.#bytes));
  }

  /** Resolves once the bytes are taken. */
  take(waiting: Waiting): void {
    this.#queue.push(waiting);
    this.#admit();
  }

  giveBack(bytes: number, held: number): void {
    this.#taken -= bytes;
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
    while (this.#queue[0] && this.#taken + this.#queue[0].bytes <= this.#bytes) {
      const first = this.#queue.shift()!;
      this.#taken += first.bytes;
      first.enter();
    }
  }
}

/** One answer's place. `leave` must be called, whether or not it ever entered. */
export class AnswerPlace {
  readonly #room: AnswerRoom;
  readonly #bytes: number;
  #entry: Promise<void> | undefined;
  #waiting: Waiting | undefined;
  #state: 'outside' | 'waiting' | 'inside' = 'outside';
  #held = 0;

  constructor(room: AnswerRoom, bytes: number) {
    this.#room = room;
    this.#bytes = bytes;
  }

  get isInside(): boolean {
    return this.#state === 'inside';
  }

  /** How many bytes the answer has so far. */
  get held(): number {
    return this.#held;
  }

  /** The answer has so many bytes more. */
  hold(bytes: number): void {
    this.#held += bytes;
  }

  enter(): Promise<void> {
    this.#entry ??= new Promise((resolve) => {
      this.#state = 'waiting';
      this.#waiting = {
        bytes: this.#bytes,
        enter: () => {
          this.#state = 'inside';
          resolve();
        },
      };
      this.#room.take(this.#waiting);
    });
    return this.#entry;
  }

  /** The answer is on its way: the place is left when `onSent` calls back, or soon after. */
  leaveWhenSent(onSent: (callback: () => void) => void): void {
    if (this.#state !== 'inside') {
      this.leave();
      return;
    }
    const timer = setTimeout(() => this.leave(), SENDING_MS);
    timer.unref();
    onSent(() => {
      clearTimeout(timer);
      this.leave();
    });
  }

  leave(): void {
    if (this.#state === 'inside') this.#room.giveBack(this.#bytes, this.#held);
    else if (this.#waiting) this.#room.leaveQueue(this.#waiting);
    this.#state = 'outside';
    this.#waiting = undefined;
  }
}
