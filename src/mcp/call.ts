/**
 * One running request, as a tool sees it. What listens for its end is set up when a tool first
 * asks for it: most calls are over before any would.
 */
import type { Caller } from '../core/caller.ts';
import type { Cancellable, Exchange } from './exchange.ts';
import { isObject, type Params } from './jsonrpc.ts';
import type { ToolContext } from './tool.ts';

export class Call<C extends Caller> implements ToolContext<C>, Cancellable {
  readonly caller: C;
  readonly #exchange: Exchange;
  readonly #params: Params;
  #listeners: (() => void)[] | undefined;
  #isCancelled = false;

  constructor(caller: C, exchange: Exchange, params: Params) {
    this.caller = caller;
    this.#exchange = exchange;
    this.#params = params;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  onCancelled(callback: () => void): void {
    if (this.#isCancelled) {
      callback();
    } else if (this.#listeners) {
      this.#listeners.push(callback);
    } else {
      this.#listeners = [callback];
      this.#exchange.cancelOnClose(this);
    }
  }

  onSent(callback: () => void): void {
    this.#exchange.onClose(callback);
  }

  progress(done: number, total?: number, message?: string): void {
    const progressToken = isObject(this.#params._meta)
      ? this.#params._meta.progressToken
      : undefined;
    if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return;
    const params = { progressToken, progress: done, total, message };
    this.#exchange.notify(
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }),
    );
  }

  cancel(): void {
    this.#isCancelled = true;
    for (const callback of this.#listeners?.splice(0) ?? []) callback();
  }
}
