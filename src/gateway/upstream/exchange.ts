/**
 * One request and its answer over a pooled connection. The body is handed on chunk by chunk
 * as it arrives, never gathered here; a slow reader holds the connection back.
 */
import type { Dispatcher, Pool } from 'undici';
import { asBuffer } from '../../core/as-buffer.ts';
import { Refusal } from '../request/refusal.ts';
import type { OutboundRequest } from '../request/request.ts';
import type { Deadline } from './deadline.ts';

/** Takes a chunk; false means that no more is wanted. */
export type Sink = (chunk: Uint8Array) => boolean | Promise<boolean>;

export type UpstreamHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface UpstreamResponse {
  readonly status: number;
  /** By lower-case name, as Latin-1; those that are repeated as a list. */
  readonly headers: UpstreamHeaders;
  /** Name and value in turn, as the bytes on the wire. */
  readonly rawHeaders: readonly Uint8Array[];
  /** Bytes of body handed on so far, as they came. */
  readonly bytesRead: number;
  /** Resolves at the end of the body, or when the sink wants no more. */
  read(sink: Sink): Promise<void>;
  /** Drops the connection; the body is of no interest. */
  discard(): void;
}

/** Resolves once the headers are there. Rejects with the refusal that fits the failure. */
export function exchange(
  pool: Pool,
  request: OutboundRequest,
  deadline: Deadline,
): Promise<UpstreamResponse> {
  return new Promise((resolve, reject) => {
    const handler = new ExchangeHandler(deadline, resolve, reject);
    pool.dispatch(
      {
        path: request.path,
        method: request.method,
        headers: request.headers as string[],
        body: request.body ?? null,
      },
      handler,
    );
  });
}

/** The value of a header, repeated ones joined, or undefined. The name is given in lower case. */
export function headerOf({ headers }: UpstreamResponse, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'object' ? value.join(', ') : value;
}

export function latin1(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('latin1');
}

/** A small answer often comes whole with its headers; to hold it back would cost more than it. */
const MAX_WAITING = 16 * 1024;
const STOP = new Error('no more is wanted');

/** Collects nothing and decides nothing: it only turns the connection's events into two promises. */
class ExchangeHandler implements Dispatcher.DispatchHandler, UpstreamResponse {
  status = 0;
  headers: UpstreamHeaders = {};
  rawHeaders: readonly Uint8Array[] = [];
  bytesRead = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #sink: Sink | undefined;
  /** What arrived before anybody read, or while the sink was busy: hardly more than `MAX_WAITING`. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** A chunk is with the sink; nothing further is handed on before it answers. */
  #busy = false;
  #outcome: 'open' | 'ended' | Refusal = 'open';
  #reader: { resolve: () => void; reject: (refusal: Refusal) => void } | undefined;
  readonly #deadline: Deadline;
  readonly #onHeaders: (response: UpstreamResponse) => void;
  readonly #onFailure: (refusal: Refusal) => void;
  readonly #onOver = () => this.#fail(this.#deadline.refusal());

  constructor(
    deadline: Deadline,
    onHeaders: (response: UpstreamResponse) => void,
    onFailure: (refusal: Refusal) => void,
  ) {
    this.#deadline = deadline;
    this.#onHeaders = onHeaders;
    this.#onFailure = onFailure;
    deadline.onOver(this.#onOver);
  }

  read(sink: Sink): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#sink = sink;
      this.#reader = { resolve, reject };
      this.#handWaiting();
      this.#proceed();
    });
  }

  discard(): void {
    this.#waiting = [];
    this.#stop('ended');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#outcome !== 'open') controller.abort(STOP);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: UpstreamHeaders,
  ): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.rawHeaders = controller.rawHeaders as Buffer[];
    this.#onHeaders(this);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#sink && !this.#busy) {
      this.#hand(chunk);
    } else {
      this.#waiting.push(chunk);
      this.#waitingBytes += chunk.length;
      if (this.#waitingBytes > MAX_WAITING) controller.pause();
    }
  }

  onResponseEnd(): void {
    this.#finish('ended');
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#finish(refusalFor(error));
  }

  #handWaiting(): void {
    if (this.#waiting.length === 0) return;
    const [first] = this.#waiting;
    const chunk = this.#waiting.length === 1 ? first! : Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#hand(chunk);
  }

  /**
   * The connection is not held back for the chunk itself, only for the next one: an upstream may
   * close as soon as its answer is out, and the end that was not read yet would count as a break.
   */
  #hand(chunk: Uint8Array): void {
    this.bytesRead += chunk.length;
    const wanted = this.#sink!(chunk);
    if (wanted === true) return;
    if (wanted === false) {
      this.#stop('ended');
      return;
    }
    this.#busy = true;
    wanted.then(
      (more) => {
        this.#busy = false;
        if (more) this.#handWaiting();
        else this.discard();
        this.#proceed();
      },
      (error: unknown) => {
        this.#busy = false;
        this.#fail(error instanceof Refusal ? error : refusalFor(error));
      },
    );
  }

  /** Also once all has come: as long as the sink has not taken it, the answer is not whole. */
  #fail(refusal: Refusal): void {
    if (this.#outcome === 'ended') {
      this.#outcome = refusal;
      this.#proceed();
    } else {
      this.#stop(refusal);
    }
  }

  /** Ends the exchange from our side; the connection cannot be used again. */
  #stop(outcome: 'ended' | Refusal): void {
    if (this.#outcome !== 'open') return;
    this.#finish(outcome);
    this.#controller?.abort(STOP);
  }

  #finish(outcome: 'ended' | Refusal): void {
    if (this.#outcome !== 'open') return;
    this.#outcome = outcome;
    if (this.status === 0 && outcome !== 'ended') this.#onFailure(outcome);
    this.#proceed();
  }

  #proceed(): void {
    if (this.#outcome === 'open') {
      this.#controller?.resume();
      return;
    }
    if (this.#outcome === 'ended' && (this.#busy || this.#waiting.length > 0)) return;
    this.#deadline.forget(this.#onOver);
    if (this.#outcome === 'ended') this.#reader?.resolve();
    else this.#reader?.reject(this.#outcome);
  }
}

/** What the model may know of a failure; the words are ours, since a cause may hold anything. */
function refusalFor(error: unknown): Refusal {
  const code = String((error as { code?: unknown })?.code ?? '');
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new Refusal('upstream_timeout', 'the upstream did not accept a connection in time');
  }
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return new Refusal('upstream_error', 'the TLS connection to the upstream failed');
  }
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/.test(code)) {
    return new Refusal('upstream_error', 'the upstream refused the connection');
  }
  return new Refusal(
    'upstream_error',
    'the connection to the upstream broke or its answer is not valid HTTP',
  );
}
