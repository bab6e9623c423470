/**
 * Calls at a fixed rate, whatever the answers take, for latencies. Over plain sockets that read
 * into one buffer each, with next to no garbage: a client that stops to collect its own would
 * count that pause as the server's.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import type { Call } from './measure.ts';
import type { Pace } from './pacemaker.ts';

const PACEMAKER = new URL('pacemaker.ts', import.meta.url);
const ROUND_S = 2;
const ROUNDS_BEFORE = 6;
const LANES = 16;
const MAX_LINES = 64;
/** Servers close a connection that was idle for five seconds: one that is about to be is not used. */
const MAX_IDLE_MS = 3_000;
const READ_BUFFER = 16 * 1024;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

export interface Round {
  /** In milliseconds, sorted. */
  readonly latencies: Float64Array;
  /** For how long another machine of the same host had the processors. */
  readonly stolenMs: number;
}

export class PacedLoad {
  readonly #url: URL;
  readonly #request: Buffer;
  readonly #lines = new Set<Line>();
  readonly #idle: Line[] = [];
  readonly #waiting: number[] = [];
  /** When each call was sent; once it is answered, how long it took. */
  #times = new Float64Array();
  #sent = 0;
  #answered = 0;
  #sendOnAnswer = false;
  #finish = () => {};

  constructor(url: string, call: Call) {
    this.#url = new URL(url);
    this.#request = requestOf(this.#url, call);
  }

  /** As fast as 16 callers can go. Returns calls per second. */
  async saturate(calls: number): Promise<number> {
    const startedAt = performance.now();
    const finished = this.#begin(calls, true);
    for (let lane = 0; lane < LANES; lane++) this.#send();
    await finished;
    return (calls * 1_000) / (performance.now() - startedAt);
  }

  /**
   * Some rounds of two seconds without a pause. Six rounds before them do not count: for so long V8
   * compiles what goes another way at this rate than at saturation, and its threads take the
   * processors from whoever answers.
   */
  async atRate(callsPerSecond: number, rounds: number): Promise<Round[]> {
    const aRound = Math.round(callsPerSecond * ROUND_S);
    const total = aRound * (ROUNDS_BEFORE + rounds);
    const finished = this.#begin(total, false);
    const stolenBy: number[] = [];
    const pace: Pace = { callsPerSecond, calls: total };
    const pacemaker = new Worker(PACEMAKER, { workerData: pace });
    pacemaker.on('message', () => {
      if (this.#sent % aRound === 0) stolenBy.push(stolenMs());
      this.#send();
    });
    await finished;
    stolenBy.push(stolenMs());
    await pacemaker.terminate();
    return Array.from({ length: rounds }, (_, round) => {
      const at = ROUNDS_BEFORE + round;
      return {
        latencies: this.#times.slice(at * aRound, (at + 1) * aRound).sort(),
        stolenMs: stolenBy[at + 1]! - stolenBy[at]!,
      };
    });
  }

  close(): void {
    for (const line of this.#lines) line.close();
  }

  #begin(calls: number, sendOnAnswer: boolean): Promise<void> {
    this.#times = new Float64Array(calls);
    this.#sent = 0;
    this.#answered = 0;
    this.#sendOnAnswer = sendOnAnswer;
    return new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  #send(): void {
    const call = this.#sent++;
    this.#times[call] = performance.now();
    const line = this.#takeIdle() ?? (this.#lines.size < MAX_LINES ? this.#open() : undefined);
    if (line === undefined) this.#waiting.push(call);
    else line.send(this.#request, call);
  }

  #takeIdle(): Line | undefined {
    const line = this.#idle.pop();
    if (line === undefined || performance.now() - line.idleSince < MAX_IDLE_MS) return line;
    // Those below it have been idle for even longer.
    for (const stale of [line, ...this.#idle.splice(0)]) {
      this.#lines.delete(stale);
      stale.close();
    }
    return undefined;
  }

  #open(): Line {
    const line = new Line(this.#url, {
      answered: (call) => this.#onAnswer(line, call),
      closed: () => {
        this.#lines.delete(line);
        const index = this.#idle.indexOf(line);
        if (index >= 0) this.#idle.splice(index, 1);
      },
    });
    this.#lines.add(line);
    return line;
  }

  #onAnswer(line: Line, call: number): void {
    this.#times[call] = performance.now() - this.#times[call]!;
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(line);
    else line.send(this.#request, next);
    if (++this.#answered === this.#times.length) this.#finish();
    else if (this.#sendOnAnswer && this.#sent < this.#times.length) this.#send();
  }
}

/** One connection with one call on it at a time. */
class Line {
  readonly #socket: Socket;
  readonly #buffer = Buffer.allocUnsafeSlow(READ_BUFFER);
  readonly #answered: (call: number) => void;
  idleSince = 0;
  #call = -1;
  /** How much of the answer is still to come; below zero before its head is read. */
  #missing = -1;

  constructor(url: URL, on: { answered: (call: number) => void; closed: () => void }) {
    this.#answered = on.answered;
    const callback = (length: number) => {
      this.#read(length);
      return true;
    };
    this.#socket = connect({
      host: url.hostname,
      port: Number(url.port),
      noDelay: true,
      onread: { buffer: this.#buffer, callback },
    });
    this.#socket.on('close', () => {
      if (this.#call >= 0) throw new Error(`${url.origin} closed a connection before its answer`);
      on.closed();
    });
  }

  send(request: Buffer, call: number): void {
    this.#call = call;
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(length: number): void {
    if (this.#missing < 0) this.#missing = this.#answerLength(length);
    this.#missing -= length;
    if (this.#missing > 0) return;
    const call = this.#call;
    this.#call = -1;
    this.#missing = -1;
    this.idleSince = performance.now();
    this.#answered(call);
  }

  #answerLength(length: number): number {
    const end = this.#buffer.subarray(0, length).indexOf(END_OF_HEAD);
    const head = this.#buffer.toString('latin1', 0, end < 0 ? length : end);
    const bodyLength = /^content-length: *(\d+)/im.exec(head)?.[1];
    if (end < 0 || bodyLength === undefined || !head.startsWith('HTTP/1.1 200')) {
      throw new Error(`not an answer of known length: ${head.slice(0, 200)}`);
    }
    return end + END_OF_HEAD.length + Number(bodyLength);
  }
}

/** So far, of all processors together, as Linux counts it: in ticks of ten milliseconds. */
function stolenMs(): number {
  const [, , , , , , , , steal] = readFileSync('/proc/stat', 'latin1').split(/\s+/, 9);
  return Number(steal) * 10;
}

function requestOf(url: URL, { path, headers, body }: Call): Buffer {
  const lines = [
    `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`,
    `host: ${url.host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}
