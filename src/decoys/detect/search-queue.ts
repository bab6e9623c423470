/**
 * The queue of requests to search for honeytokens, in memory that the main thread shares with the search
 * thread: a ring buffer with the bytes of each request, and a row of numbers with their offsets. Messages
 * between the threads cost the main thread most, and a thousand requests need no more of them than one.
 *
 * Prevents a flood from filling the queue while a stolen token is used: one source gets at most half of
 * the capacity that the others leave.
 */
import { FairShare } from '../../core/limits/fair-share.ts';
import { Ring } from './ring.ts';
import type { Sighting } from './search.ts';

/** Of a body, inflated or not. */
export const MAX_BODY_SEARCHED = 64 * 1024;

/** The memory that both threads share. */
export interface SharedRoom {
  readonly bytes: SharedArrayBuffer;
  /** Two counts, then a row for each request that waits. */
  readonly numbers: SharedArrayBuffer;
}

export interface Waiting {
  readonly source: string;
  /** Called with the sightings that were not reported before; with undefined where there is no token. */
  done(sightings: readonly Sighting[] | undefined): void;
}

/** Counters of the requests that were added and searched. They wrap around at 32 bits. */
const ADDED = 0;
const SEARCHED = 1;
const FIRST_ROW = 2;
/** The columns of a row: offset, length of the body, length of the texts, whether it holds a token. */
const COLUMNS = 4;
const HAS_TOKEN = 3;
const LINE_BREAK = 0x0a;
/**
 * V8 copies to shared memory word by word if source and destination have the same alignment, and byte by
 * byte otherwise: 64 KiB then take 27 µs instead of 6.
 */
const WORD_BYTES = 8;

/** The side of the main thread. */
export class SearchQueue {
  readonly #ring: Ring;
  readonly #numbers: Int32Array<SharedArrayBuffer>;
  readonly #bytesOf: FairShare;
  readonly #jobsOf: FairShare;
  readonly #waiting: { readonly job: Waiting; readonly bytes: number }[] = [];
  /** Searched, with sightings that the thread has not reported yet. */
  readonly #found = new Map<number, Waiting>();
  #settled = 0;

  constructor(roomBytes: number, maxJobs: number) {
    this.#ring = new Ring(roomBytes);
    this.#numbers = new Int32Array(new SharedArrayBuffer(4 * (FIRST_ROW + COLUMNS * maxJobs)));
    this.#bytesOf = new FairShare(roomBytes);
    this.#jobsOf = new FairShare(maxJobs);
  }

  get shared(): SharedRoom {
    return { bytes: this.#ring.room, numbers: this.#numbers.buffer };
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Writes the body, then the texts as lines. False when the queue is full. */
  add(job: Waiting, texts: readonly string[], body: Uint8Array): boolean {
    let textLength = 0;
    for (const text of texts) textLength += text.length + 1;
    const words = Math.ceil((body.length + textLength) / WORD_BYTES) + 1;
    const bytes = words * WORD_BYTES;
    let offset = this.#take(job.source, bytes);
    if (offset < 0) {
      this.settle();
      offset = this.#take(job.source, bytes);
      if (offset < 0) return false;
    }
    const room = this.#ring.bytes;
    const bodyAt = offset + (body.byteOffset % WORD_BYTES);
    room.set(body, bodyAt);
    let at = bodyAt + body.length;
    for (const text of texts) {
      at += room.write(text, at, 'latin1');
      room[at++] = LINE_BREAK;
    }
    const added = this.#numbers[ADDED]!;
    this.#numbers.set([bodyAt, body.length, textLength, 0], rowOf(added, this.#numbers));
    this.#waiting.push({ job, bytes });
    Atomics.store(this.#numbers, ADDED, added + 1);
    return true;
  }

  /** Releases the memory of the requests that were searched. */
  settle(): void {
    const searched = Atomics.load(this.#numbers, SEARCHED);
    for (const { job, bytes } of this.#waiting.splice(0, (searched - this.#settled) | 0)) {
      this.#release(job, bytes);
      const hasToken = this.#numbers[rowOf(this.#settled, this.#numbers) + HAS_TOKEN] === 1;
      if (hasToken) this.#found.set(this.#settled, job);
      else job.done(undefined);
      this.#settled = (this.#settled + 1) | 0;
    }
  }

  /** Takes the sightings that the thread reports. */
  report(found: ReadonlyMap<number, readonly Sighting[]>): void {
    this.settle();
    for (const [number, sightings] of found) {
      this.#found.get(number)?.done(sightings);
      this.#found.delete(number);
    }
  }

  /** Drops every request when the thread has ended. Returns how many were not searched or reported. */
  giveUp(): number {
    this.settle();
    const waiting = this.#waiting.splice(0);
    for (const { job, bytes } of waiting) this.#release(job, bytes);
    const lost = waiting.length + this.#found.size;
    this.#found.clear();
    this.#settled = this.#numbers[SEARCHED] = this.#numbers[ADDED]!;
    return lost;
  }

  #release({ source }: Waiting, bytes: number): void {
    this.#jobsOf.giveBack(source, 1);
    this.#bytesOf.giveBack(source, bytes);
    this.#ring.giveBack();
  }

  /** Reserves memory: the offset, or -1 when the queue is full. */
  #take(source: string, bytes: number): number {
    if (!this.#jobsOf.take(source, 1)) return -1;
    if (this.#bytesOf.take(source, bytes)) {
      const offset = this.#ring.take(bytes);
      if (offset >= 0) return offset;
      this.#bytesOf.giveBack(source, bytes);
    }
    this.#jobsOf.giveBack(source, 1);
    return -1;
  }
}

/** The side of the search thread. */
export class QueueReader {
  readonly #bytes: Buffer;
  readonly #numbers: Int32Array;

  constructor({ bytes, numbers }: SharedRoom) {
    this.#bytes = Buffer.from(bytes);
    this.#numbers = new Int32Array(numbers);
  }

  /** The number of the oldest request. */
  get number(): number {
    return this.#numbers[SEARCHED]!;
  }

  get isEmpty(): boolean {
    return this.number === Atomics.load(this.#numbers, ADDED);
  }

  first(): { readonly texts: string[]; readonly body: Buffer } {
    const row = rowOf(this.number, this.#numbers);
    const offset = this.#numbers[row]!;
    const textAt = offset + this.#numbers[row + 1]!;
    const textEnd = textAt + this.#numbers[row + 2]! - 1;
    return {
      texts: this.#bytes.toString('latin1', textAt, textEnd).split('\n'),
      body: this.#bytes.subarray(offset, textAt),
    };
  }

  /** Marks the oldest request as searched. */
  next(hasToken: boolean): void {
    const { number } = this;
    this.#numbers[rowOf(number, this.#numbers) + HAS_TOKEN] = hasToken ? 1 : 0;
    Atomics.store(this.#numbers, SEARCHED, number + 1);
  }
}

/** The number of rows is a power of two, so that numbers may wrap around. */
function rowOf(number: number, numbers: Int32Array): number {
  const rows = (numbers.length - FIRST_ROW) / COLUMNS;
  return FIRST_ROW + COLUMNS * (number & (rows - 1));
}
