/**
 * How much of the memory all answers together may take while they are gathered and sent.
 *
 * Stops exhaustion by many large answers at once: an answer that grows beyond a little waits
 * here, its upstream held back, until there is room for its cap. It keeps its place until it
 * has been sent; a client that does not read is cut off (`src/mcp/exchange.ts`). First come,
 * first served, but one user's answers take half of the room at most: a slow upstream, or a
 * client that does not read, holds up nobody else. A larger answer counts as that half.
 */
import { collectGarbage } from '../../core/garbage.ts';

const ROOM_BYTES = 8 * 1024 * 1024;

interface Waiting {
  readonly user: string;
  readonly bytes: number;
  readonly enter: () => void;
}

export class AnswerRoom {
  readonly #bytes: number;
  /** Of one user. */
  readonly #share: number;
  #taken = 0;
  readonly #takenBy = new Map<string, number>();
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

  /** Resolves once the bytes are taken. */
  take(waiting: Waiting): void {
    this.#queue.push(waiting);
    this.#admit();
  }

  giveBack({ user, bytes }: Waiting, held: number): void {
    this.#count(user, -bytes);
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
      if ((this.#takenBy.get(user) ?? 0) + bytes > this.#share) continue;
      if (this.#taken + bytes > this.#bytes) break;
      this.#queue.splice(this.#queue.indexOf(waiting), 1);
      this.#count(user, bytes);
      waiting.enter();
    }
  }

  #count(user: string, bytes: number): void {
    this.#taken += bytes;
    const left = (this.#takenBy.get(user) ?? 0) + bytes;
    if (left > 0) this.#takenBy.set(user, left);
    else this.#takenBy.delete(user);
  }
}

/** One answer's place. `leave` must be called, whether or not it ever entered. */
export class AnswerPlace {
  readonly #room: AnswerRoom;
  readonly #user: string;
  readonly #bytes: number;
  #entry: Promise<void> | undefined;
  #waiting: Waiting | undefined;
  #state: 'outside' | 'waiting' | 'inside' = 'outside';
  #held = 0;

  constructor(room: AnswerRoom, user: string, bytes: number) {
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

  /** The answer has so many bytes more. */
  hold(bytes: number): void {
    this.#held += bytes;
  }

  enter(): Promise<void> {
    this.#entry ??= new Promise((resolve) => {
      this.#state = 'waiting';
      this.#waiting = {
        user: this.#user,
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

  /** The answer is on its way: the place is left when `onSent` calls back. */
  leaveWhenSent(onSent: (callback: () => void) => void): void {
    if (this.#state === 'inside') onSent(() => this.leave());
    else this.leave();
  }

  leave(): void {
    if (this.#waiting) {
      if (this.#state === 'inside') this.#room.giveBack(this.#waiting, this.#held);
      else this.#room.leaveQueue(this.#waiting);
    }
    this.#state = 'outside';
    this.#waiting = undefined;
  }
}
