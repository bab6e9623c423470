/**
 * Notices calls that run long, with one timer for all of them: a timer for each would cost
 * more than most calls do. A call is noticed after `slowCallMs`, and at most a quarter later.
 *
 * The calls stand in a ring that each leaves without a trace. A Map would do, but its outgrown
 * tables point to their successors: once one of them is old, every later table and all the calls
 * in it look alive to V8's quick collections, which then move each call and take ten times as long.
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
  /** Between the youngest call and the oldest. */
  readonly #ends = new Watch(undefined, 0);
  #tick = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(slowCallMs: number) {
    this.#tickMs = slowCallMs / TICKS;
  }

  /** The watch is to be ended when the call is over. */
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

/** A call's place in the ring; alone it points to nothing but itself. */
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
