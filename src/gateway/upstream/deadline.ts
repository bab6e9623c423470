/**
 * Limits a call in time, from the DNS lookup to the last byte of the body, over all redirect hops; for
 * an answer that streams, to its headers, and then between two pieces. It also ends when the client
 * cancels; `refusal` distinguishes the two.
 */
import type { ToolContext } from '../../mcp/tool.ts';
import { Refusal } from '../request/refusal.ts';

export class Deadline {
  #cause: 'late' | 'cancelled' | undefined;
  #listeners: (() => void)[] = [];
  #timer: NodeJS.Timeout;

  constructor(timeoutMs: number, client: Pick<ToolContext, 'onCancelled'>) {
    this.#timer = setTimeout(() => this.#pass('late'), timeoutMs);
    client.onCancelled(() => this.#pass('cancelled'));
  }

  get isCancelled(): boolean {
    return this.#cause === 'cancelled';
  }

  get isOver(): boolean {
    return this.#cause !== undefined;
  }

  /** Created on demand: an AbortSignal costs more than the listeners below. */
  get signal(): AbortSignal {
    const controller = new AbortController();
    this.onOver(() => controller.abort());
    return controller.signal;
  }

  /** Calls back when it is over, immediately if it already is. */
  onOver(callback: () => void): void {
    if (this.isOver) callback();
    else this.#listeners.push(callback);
  }

  forget(callback: () => void): void {
    this.#listeners = this.#listeners.filter((one) => one !== callback);
  }

  /** `late` is the message of a timeout. */
  refusal(late = 'the upstream did not answer in time'): Refusal {
    return this.#cause === 'cancelled'
      ? new Refusal('cancelled', 'the client cancelled the call')
      : new Refusal('upstream_timeout', late);
  }

  /** Begins anew: from now on it is over after so long, of which `extend` gives the whole again. */
  restart(timeoutMs: number): void {
    clearTimeout(this.#timer);
    if (!this.isOver) this.#timer = setTimeout(() => this.#pass('late'), timeoutMs);
  }

  extend(): void {
    this.#timer.refresh();
  }

  /** The call is done: no callback runs after this. */
  end(): void {
    clearTimeout(this.#timer);
    this.#listeners = [];
  }

  #pass(cause: 'late' | 'cancelled'): void {
    if (this.isOver) return;
    this.#cause = cause;
    for (const callback of this.#listeners.splice(0)) callback();
  }
}
