/**
 * Detects calls that take longer than `slowCallMs`, up to a quarter later, with one timer for all: a
 * timer for each would cost more than most calls do.
 *
 * The calls are in a doubly linked list. With a Map, whose outgrown tables point to their successors,
 * V8's minor collections kept finished calls alive and took ten times as long.
 */
const TICKS = 4;

export interface SlowCall {
  /** Called once, when the call has become slow. */
  becomeSlow(): void;
}

export interface Pace {
  /** Between two comments on an open stream. */
  readonly keepAliveMs: number;
  /** A client that has taken nothing of a large answer for so long is cut off. */
  readonly unreadMs: number;
  readonly slowCalls: SlowCalls;
}

export class SlowCalls {
  readonly #tickMs: number;
  /** The sentinel of the list, which is a ring: before it the youngest call, behind it the oldest. */
  readonly #ends = new Watch(undefined, 0);
  #tick = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(slowCallMs: number) {
    this.#tickMs = slowCallMs / TICKS;
  }

  /** End the watch when the call is over. */
  begin(call: SlowCall): Watch {
    const watch = new Watch(call, this.#tick);
    watch.joinBefore(this.#ends);
    this.#timer ??= setInterval(() => this.#look(), this.#tickMs).unref();
    return watch;
  }

  #look(): void {
    this.#tick++;
    for (let oldest = this.#ends.next; oldest !== this.#ends; oldest = this.#ends.next) {
      if (this.#tick - oldest.began <= TICKS) return;
      oldest.end();
      oldest.call?.becomeSlow();
    }
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** The node of a call in the list; alone it points to itself. */
export class Watch {
  readonly call: SlowCall | undefined;
  readonly began: number;
  next: Watch = this;
  #previous: Watch = this;

  constructor(call: SlowCall | undefined, began: number) {
    this.call = call;
    this.began = began;
  }

  joinBefore(next: Watch): void {
    this.next = next;
    this.#previous = next.#previous;
    this.#previous.next = this;
    next.#previous = this;
  }

  end(): void {
    this.next.#previous = this.#previous;
    this.#previous.next = this.next;
    this.next = this;
    this.#previous = this;
  }
}
