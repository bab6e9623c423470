/**
 * One running request, as a tool sees it. Signal and listeners are made when they are first
 * asked for: most calls are over before anyone would.
 */
import type { Caller } from '../core/caller.ts';
import type { Cancellable, Exchange } from './exchange.ts';
import { isObject, type Params } from './jsonrpc.ts';
import type { ToolContext } from './tool.ts';

export class Call<C extends Caller> implements ToolContext<C>, Cancellable {
  readonly caller: C;
  readonly #exchange: Exchange;
  readonly #params: Params;
  #controller: AbortController | undefined;
  #isCancelled = false;

  constructor(caller: C, exchange: Exchange, params: Params) {
    this.caller = caller;
    this.#exchange = exchange;
    this.#params = params;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isCancelled) this.#controller.abort();
      else this.#exchange.cancelOnClose(this);
    }
    return this.#controller.signal;
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
    this.#controller?.abort();
  }
}
