/**
 * Notices calls that run long, with one timer for all of them: a timer for each would cost
 * more than most calls do. A call is noticed after `slowCallMs`, and at most a quarter later.
 */

const TICKS = 4;

export interface SlowCall {
  /** Called once, when the call has become slow. */
  becomeSlow(): void;
}

export class SlowCalls {
  readonly #tickMs: number;
  /** The tick at which each call began, in the order of their beginning. */
  readonly #running = new Map<SlowCall, number>();
  #tick = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(slowCallMs: number) {
    this.#tickMs = slowCallMs / TICKS;
  }

  begin(call: SlowCall): void {
    this.#running.set(call, this.#tick);
    this.#timer ??= setInterval(() => this.#look(), this.#tickMs).unref();
  }

  end(call: SlowCall): void {
    this.#running.delete(call);
  }

  #look(): void {
    this.#tick++;
    for (const [call, began] of this.#running) {
      if (this.#tick - began <= TICKS) break;
      this.#running.delete(call);
      call.becomeSlow();
    }
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
