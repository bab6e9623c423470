/**
 * The answer to one POST: JSON if the work is quick, a stream of events if it is not.
 *
 * It becomes a stream when there is progress to report, or when the work takes longer than
 * `slowCallMs`, and only for a client that accepts one. Until then no header is sent, and the answer
 * can be JSON with any status. When the client closes the response, its calls are cancelled.
 */
import type { Answer } from './answer.ts';
import { EventStream } from './event-stream.ts';
import type { JsonPieces, JsonText } from './json-text.ts';
import { sendPieces } from './send-pieces.ts';
import type { Pace, SlowCall, Watch } from './slow-calls.ts';
import { limitUnread } from './unread-limit.ts';

/** An answer of more letters may not fit into the socket buffers of both sides. */
const LARGE = 64 * 1024;

export interface Cancellable {
  cancel(): void;
}

export interface Beating {
  /** Called when the work has become slow, and at every beat of the stream from then on. */
  beat(): void;
}

interface ExchangeService {
  readonly pace: Pace;
  isAlive(request: Answer['request']): Promise<boolean>;
}

export class Exchange implements SlowCall {
  readonly answer: Answer;
  readonly #service: ExchangeService;
  readonly #acceptsStream: boolean;
  readonly #acceptsJson: boolean;
  #stream: EventStream | undefined;
  #watch: Watch | undefined;
  #calls: Cancellable[] | undefined;
  #beating: Beating[] | undefined;
  #isFinished = false;
  /** The beginning of an array was sent, with the first answers of a batch. */
  #isArrayBegun = false;
  /** Resolves when the large answers of a batch are sent. */
  #sent: Promise<void> = Promise.resolve();

  constructor(answer: Answer, accept: string | undefined, service: ExchangeService) {
    this.answer = answer;
    this.#service = service;
    this.#acceptsStream = accept !== undefined && /text\/event-stream/i.test(accept);
    this.#acceptsJson = !this.#acceptsStream || /application\/(?:json|\*)|\*\/\*/i.test(accept!);
  }

  /** Whether notifications reach the client ahead of the answer. */
  get takesStream(): boolean {
    return this.#acceptsStream;
  }

  /** Whether the token of the request is still good. */
  isAlive(): Promise<boolean> {
    return this.#service.isAlive(this.answer.request);
  }

  /** Starts the timer of `slowCallMs`; call it once the request is known to be valid. */
  begin(): void {
    if (this.#acceptsStream) this.#watch ??= this.#service.pace.slowCalls.begin(this);
  }

  /** Sends a notification ahead of the answer, where the client takes streams. */
  notify(json: string): void {
    if (this.#isFinished || !this.#acceptsStream) return;
    this.#openStream();
    this.#stream?.send(json);
  }

  becomeSlow(): void {
    this.#openStream();
    this.#beat();
  }

  /** Calls `beat` of the call when the answer is slow. */
  onBeat(call: Beating): void {
    this.#beating ??= [];
    this.#beating.push(call);
  }

  /** Cancels the call when the client closes the response before it is finished. */
  cancelOnClose(call: Cancellable): void {
    if (this.#calls === undefined) {
      this.#calls = [];
      this.answer.response.once('close', () => this.#closed());
    }
    this.#calls.push(call);
    if (this.answer.response.destroyed) this.#closed();
  }

  /** Calls back when the response is over, however it ends. */
  onClose(callback: () => void): void {
    if (this.answer.response.destroyed) callback();
    else this.answer.response.once('close', callback);
  }

  /** Answers with one message; resolves once all of it is written. */
  async finish(json: JsonText, status = 200): Promise<void> {
    if (typeof json !== 'string') return this.#finishInPieces(json);
    if (this.#isFinished) return;
    if (status === 200 && !this.#acceptsJson) this.#openStream();
    this.#end();
    if (this.#stream !== undefined) {
      this.#stream.send(json);
      this.#stream.end();
    } else {
      if (json.length > LARGE) limitUnread(this.answer.response, this.#service.pace.unreadMs);
      this.answer.json(json, status);
    }
  }

  /**
   * Sends one large answer of a batch ahead of the others, so that it is not kept in memory.
   * JSON-RPC 2.0, section 6, allows any order.
   */
  sendOfBatch(json: JsonPieces): Promise<void> {
    this.#sent = this.#sent.then(() => this.#sendOfBatch(json));
    return this.#sent;
  }

  /** Answers the rest of a batch: an array, or one event for each message. */
  async finishBatch(answers: readonly string[]): Promise<void> {
    await this.#sent;
    const last = answers.at(-1);
    if (this.#isArrayBegun) {
      this.#end();
      limitUnread(this.answer.response, this.#service.pace.unreadMs);
      this.answer.response.end(`${answers.map((answer) => `,${answer}`).join('')}]`);
    } else if (last === undefined) {
      this.accept();
    } else if (this.#stream === undefined) {
      this.finish(`[${answers.join(',')}]`);
    } else {
      for (const answer of answers.slice(0, -1)) {
        this.#stream.send(answer);
        await this.#stream.taken();
      }
      await this.finish(last);
    }
  }

  /** Answers without a message: it was accepted, or its sender cancelled it. */
  accept(): void {
    if (this.#isFinished) return;
    this.#end();
    if (this.#stream !== undefined) this.#stream.end();
    else this.answer.status(202);
  }

  async #finishInPieces(json: JsonPieces): Promise<void> {
    if (this.#isFinished) return;
    if (!this.#acceptsJson) this.#openStream();
    this.#end();
    if (this.#stream !== undefined) {
      await this.#stream.sendPieces(json);
      this.#stream.end();
    } else {
      const { response } = this.answer;
      limitUnread(response, this.#service.pace.unreadMs);
      this.answer.beginJson();
      await sendPieces(response, json);
      response.end();
    }
  }

  async #sendOfBatch(json: JsonPieces): Promise<void> {
    if (this.#isFinished) return;
    if (this.#acceptsStream) this.#openStream();
    if (this.#stream !== undefined) return this.#stream.sendPieces(json);
    const { response } = this.answer;
    if (!this.#isArrayBegun) this.answer.beginJson();
    response.write(this.#isArrayBegun ? ',' : '[');
    this.#isArrayBegun = true;
    // The timeout is for what is sent, not for the calls of the batch that still run.
    response.socket?.setTimeout(this.#service.pace.unreadMs);
    await sendPieces(response, json);
    response.socket?.setTimeout(0);
  }

  #openStream(): void {
    if (this.#isFinished || this.#stream !== undefined) return;
    this.#stream = new EventStream(
      this.answer.response,
      this.#service.pace,
      () => this.#closed(),
      () => this.#beat(),
    );
  }

  #beat(): void {
    for (const call of this.#beating ?? []) call.beat();
  }

  #end(): void {
    this.#isFinished = true;
    this.#watch?.end();
  }

  #closed(): void {
    if (this.#isFinished) return;
    this.#end();
    for (const call of this.#calls ?? []) call.cancel();
  }
}
