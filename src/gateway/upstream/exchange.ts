/**
 * Sends one request over a pooled connection and streams the response body to a sink, with
 * backpressure and without buffering.
 */
import type { Dispatcher, Pool } from 'undici';
import { asBuffer } from '../../core/as-buffer.ts';
import { Refusal } from '../request/refusal.ts';
import type { OutboundRequest } from '../request/request.ts';
import type { Deadline } from './deadline.ts';

/** Takes a chunk; false if no more is wanted. */
export type Sink = (chunk: Uint8Array) => boolean | Promise<boolean>;

export type UpstreamHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface UpstreamResponse {
  readonly status: number;
  /** By lower-case name, as Latin-1; repeated headers as a list. */
  readonly headers: UpstreamHeaders;
  /** Alternating names and values, as the bytes on the wire. */
  readonly rawHeaders: readonly Uint8Array[];
  /** Bytes of body passed to the sink, before decoding. */
  readonly bytesRead: number;
  /** Resolves at the end of the body, or when the sink wants no more. */
  read(sink: Sink): Promise<void>;
  /** Instead of `read`: the body, if all of it is here, as it is of most small responses. */
  takeWhole(): Uint8Array | undefined;
  /** Closes the connection without reading the body. */
  discard(): void;
}

/** Resolves with the headers, or rejects with a refusal. */
export function exchange(
  pool: Pool,
  request: OutboundRequest,
  deadline: Deadline,
  sending: { hasBegun: boolean },
): Promise<UpstreamResponse> {
  return new Promise((resolve, reject) => {
    const handler = new ExchangeHandler(deadline, sending, resolve, reject);
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

/** The value of a header by its lower-case name; repeated headers are joined. */
export function headerOf({ headers }: UpstreamResponse, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'object' ? value.join(', ') : value;
}

export function latin1(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('latin1');
}

/** A small body often arrives with the headers; pausing the connection would cost more. */
const MAX_WAITING = 16 * 1024;
const STOP = new Error('no more is wanted');

/** Turns the events of the connection into two promises: for the headers and for the body. */
class ExchangeHandler implements Dispatcher.DispatchHandler, UpstreamResponse {
  status = 0;
  headers: UpstreamHeaders = {};
  rawHeaders: readonly Uint8Array[] = [];
  bytesRead = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #sink: Sink | undefined;
  /** Chunks that arrived before `read`, or while the sink was busy. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** The sink has not finished the last chunk. */
  #busy = false;
  #outcome: 'open' | 'ended' | Refusal = 'open';
  #reader: { resolve: () => void; reject: (refusal: Refusal) => void } | undefined;
  readonly #deadline: Deadline;
  readonly #sending: { hasBegun: boolean };
  readonly #onHeaders: (response: UpstreamResponse) => void;
  readonly #onFailure: (refusal: Refusal) => void;
  readonly #onOver = () => this.#fail(this.#deadline.refusal());

  constructor(
    deadline: Deadline,
    sending: { hasBegun: boolean },
    onHeaders: (response: UpstreamResponse) => void,
    onFailure: (refusal: Refusal) => void,
  ) {
    this.#deadline = deadline;
    this.#sending = sending;
    this.#onHeaders = onHeaders;
    this.#onFailure = onFailure;
    deadline.onOver(this.#onOver);
  }

  read(sink: Sink): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#sink = sink;
      this.#reader = { resolve, reject };
      this.#passWaiting();
      this.#proceed();
    });
  }

  takeWhole(): Uint8Array | undefined {
    if (this.#outcome !== 'ended') return undefined;
    const body = this.#waiting.length === 1 ? this.#waiting[0]! : Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.bytesRead = body.length;
    this.#deadline.forget(this.#onOver);
    return body;
  }

  discard(): void {
    this.#waiting = [];
    this.#stop('ended');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Called before the first byte is written.
    if (this.#outcome !== 'open') controller.abort(STOP);
    else this.#sending.hasBegun = true;
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
      this.#pass(chunk);
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

  #passWaiting(): void {
    if (this.#waiting.length === 0) return;
    const [first] = this.#waiting;
    const chunk = this.#waiting.length === 1 ? first! : Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#pass(chunk);
  }

  /**
   * Pauses the connection for the next chunk only, not for this one: an upstream may close right
   * after its last byte, and an end that was not read yet would look like a reset.
   */
  #pass(chunk: Uint8Array): void {
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
        if (more) this.#passWaiting();
        else this.discard();
        this.#proceed();
      },
      (error: unknown) => {
        this.#busy = false;
        this.#fail(error instanceof Refusal ? error : refusalFor(error));
      },
    );
  }

  /** Also after the last byte: until the sink has taken it, the response is not complete. */
  #fail(refusal: Refusal): void {
    if (this.#outcome === 'ended') {
      this.#outcome = refusal;
      this.#proceed();
    } else {
      this.#stop(refusal);
    }
  }

  /** Ends the exchange and closes the connection. */
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

/** Never quotes the cause, which may contain anything. */
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
    'the connection to the upstream was reset or the response is not valid HTTP',
  );
}
