/**
 * One running request, as a tool sees it. Listeners are registered when a tool first needs them: most
 * calls need none.
 *
 * A client that sent a progress token gets a notification at every beat of a slow call, which restarts
 * its own timeout: the number of beats, until the tool itself reports progress.
 */
import type { Caller } from '../core/http/caller.ts';
import { readTraceContext, type TraceContext } from '../core/http/trace-context.ts';
import { type Peer, SILENT_PEER } from './elicitation/peer.ts';
import type { Beating, Cancellable, Exchange } from './exchange.ts';
import { isObject, type Params } from './jsonrpc.ts';
import type { ToolContext } from './tool.ts';

export class Call<C extends Caller> implements ToolContext<C>, Cancellable, Beating {
  readonly caller: C;
  /** Set by the era of the protocol, before the call runs. */
  peer: Peer = SILENT_PEER;
  readonly #exchange: Exchange;
  readonly #isAlone: boolean;
  readonly #meta: unknown;
  readonly #progressToken: string | number | undefined;
  #listeners: (() => void)[] | undefined;
  /** Callbacks of a call in a batch. */
  readonly #sent: (() => void)[] = [];
  #isCancelled = false;
  #beats = 0;
  /** Whether a beat sends nothing: the call is over, or the tool reports its progress itself. */
  #isQuiet = false;

  /** `isAlone` says that the exchange is about no other call. */
  constructor(caller: C, exchange: Exchange, params: Params, isAlone = true) {
    this.caller = caller;
    this.#exchange = exchange;
    this.#isAlone = isAlone;
    this.#meta = params._meta;
    this.#progressToken = progressTokenOf(params);
    if (this.#progressToken !== undefined) exchange.onBeat(this);
  }

  /** From the message, or else from the headers of the request. */
  get trace(): TraceContext | undefined {
    const { headers } = this.#exchange.answer.request;
    const { traceparent, tracestate } = isObject(this.#meta) ? this.#meta : {};
    return traceparent === undefined
      ? readTraceContext(headers.traceparent, headers.tracestate)
      : readTraceContext(traceparent, tracestate);
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

  isAlive(): Promise<boolean> {
    return this.#exchange.isAlive();
  }

  /** In a batch, when the call ends: a small answer waits for the others and counts in `batch.ts`. */
  onSent(callback: () => void): void {
    if (this.#isAlone) this.#exchange.onClose(callback);
    else this.#sent.push(callback);
  }

  progress(done: number, total?: number, message?: string): void {
    this.#isQuiet = true;
    this.#tell(done, total, message);
  }

  beat(): void {
    if (this.#isQuiet) return;
    this.#beats += 1;
    this.#tell(this.#beats);
  }

  /** The work is done. */
  end(): void {
    this.#isQuiet = true;
    for (const callback of this.#sent.splice(0)) callback();
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#isQuiet = true;
    for (const callback of this.#listeners?.splice(0) ?? []) callback();
  }

  #tell(progress: number, total?: number, message?: string): void {
    if (this.#progressToken === undefined) return;
    const params = { progressToken: this.#progressToken, progress, total, message };
    this.#exchange.notify(
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }),
    );
  }
}

function progressTokenOf({ _meta }: Params): string | number | undefined {
  const token = isObject(_meta) ? _meta.progressToken : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}
