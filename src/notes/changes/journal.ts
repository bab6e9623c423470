/**
 * A write-ahead journal of a vault: the operations of every change, with before-images.
 *
 * It consists of append-only segments under `.notes/journal`. A record is durable before the first
 * file of its change is touched, so an interrupted change can be rolled back at the next start and
 * a finished one undone for 30 days. A change id is the position of its record
 * (`segment-offset-tag`), so no index of changes is kept in memory. Records that arrive during a
 * sync share the next one.
 */
import { constants, type FileHandle, open } from 'node:fs/promises';
import { DAY_MS } from '../../core/time.ts';
import { makeParent } from '../files/directory.ts';
import { changeIdAt, isBefore, type Position, positionOf } from './change-id.ts';
import {
  type BeginRecord,
  decodeRecord,
  decodeRecords,
  type EndRecord,
  encodeRecord,
  type JournalRecord,
} from './journal-record.ts';
import {
  isSegment,
  JOURNAL_FOLDER,
  lastSegment,
  listSegments,
  readChange,
  readSegment,
  removeSegments,
  segmentName,
  writeAll,
} from './journal-segments.ts';

const SEGMENT_BYTES = 8 * 1024 * 1024;
export const RETENTION_MS = 30 * DAY_MS;
/** A failed attempt may have left a file with the next number; it has no record. */
const CREATE = constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

interface Segment {
  readonly number: number;
  readonly handle: FileHandle;
  readonly openedAt: number;
  size: number;
}

interface Pending {
  readonly make: (id: string) => JournalRecord;
  readonly durable: boolean;
  readonly done: (id: string) => void;
  readonly failed: (error: unknown) => void;
}

export class Journal {
  readonly #root: string;
  readonly #now: () => number;
  #segment: Segment | undefined;
  #lastNumber: number;
  #pending: Pending[] = [];
  #flushing: Promise<void> | undefined;
  /** Begun, not ended. */
  readonly #open = new Set<string>();
  /** Begun, and not yet reported to all listeners. */
  readonly #unreported = new Set<string>();
  /** Records whose write failed; they are written with the next ones. */
  #unwrittenEnds: EndRecord[] = [];

  private constructor(root: string, lastNumber: number, now: () => number) {
    this.#root = root;
    this.#lastNumber = lastNumber;
    this.#now = now;
  }

  /** Never appends to a segment of an earlier process, whose end may be truncated. */
  static async open(root: string, now: () => number): Promise<Journal> {
    makeParent(root, `${JOURNAL_FOLDER}/x`).close();
    return new Journal(root, await lastSegment(root), now);
  }

  /** Returns the change id when the record is durable, or, if `durable` is false, written. */
  async begin(change: Omit<BeginRecord, 'type' | 'id' | 'at'>, durable = true): Promise<string> {
    const at = new Date(this.#now()).toISOString();
    return this.#append((id) => ({ type: 'begin', id, at, ...change }), durable);
  }

  /**
   * Only a change of several files needs a durable end record; a single file is atomic. A record
   * that cannot be written is retried with the next one, at the next purge and at `close`.
   */
  async end(id: string, outcome: 'done' | 'reverted', durable: boolean): Promise<void> {
    const record: EndRecord = { type: 'end', id, outcome };
    try {
      await this.#append(() => record, durable);
    } catch (error) {
      this.#unwrittenEnds.push(record);
      throw error;
    } finally {
      this.#open.delete(id);
    }
  }

  /** Call it when all listeners have received the change. */
  reported(id: string): void {
    this.#unreported.delete(id);
  }

  async find(id: string): Promise<BeginRecord | undefined> {
    const record = await readChange(this.#root, id);
    const isExpired = record && Date.parse(record.at) < this.#now() - RETENTION_MS;
    return isExpired ? undefined : record;
  }

  /** Whether the change is being applied or reported. */
  isOpen(id: string): boolean {
    return this.#open.has(id) || this.#unreported.has(id);
  }

  /** The changes that earlier processes began and did not end, newest first. */
  async unfinished(): Promise<BeginRecord[]> {
    const open = new Set<string>();
    for await (const record of this.since({ segment: await this.#lastCarry(), offset: 0 })) {
      if (record.type === 'begin') open.add(record.id);
      if (record.type === 'end') open.delete(record.id);
      if (record.type === 'carry') for (const id of record.open) open.add(id);
    }
    const found = await Promise.all([...open].map((id) => readChange(this.#root, id)));
    const begun = found.filter((record) => record !== undefined);
    // Carried into the next segment until each has ended: this process may be killed as well.
    for (const { id } of begun) this.#open.add(id);
    return begun.reverse();
  }

  /** The complete records from a position on, in order. */
  async *since(from: Position): AsyncGenerator<JournalRecord> {
    for (const number of await listSegments(this.#root)) {
      if (number < from.segment) continue;
      const bytes = await readSegment(this.#root, number);
      if (bytes) yield* decodeRecords(bytes, number === from.segment ? from.offset : 0);
    }
  }

  /** The position before which every change has ended, was reported and is not in `pending`. */
  settled(pending: Iterable<string>): Position {
    let least: Position = this.#segment
      ? { segment: this.#segment.number, offset: this.#segment.size }
      : { segment: this.#lastNumber + 1, offset: 0 };
    for (const id of [...this.#open, ...this.#unreported, ...pending]) {
      const position = positionOf(id);
      if (position !== undefined && isBefore(position, least)) least = position;
    }
    return least;
  }

  /** Removes segments older than 30 days, then the oldest above the size limit. */
  async purge(): Promise<void> {
    await this.#retryEnds();
    await this.#removeBelow(this.settled([]).segment);
  }

  async close(): Promise<void> {
    await this.#retryEnds();
    await this.#flushing;
    await this.#segment?.handle.close();
    this.#segment = undefined;
  }

  /** The last segment with a carry record; the newest may still be empty. */
  async #lastCarry(): Promise<number> {
    const numbers = await listSegments(this.#root);
    for (const number of numbers.toReversed()) {
      const bytes = await readSegment(this.#root, number);
      if (bytes?.length && decodeRecord(bytes, 0)?.record.type === 'carry') return number;
    }
    return numbers[0] ?? 0;
  }

  #append(make: (id: string) => JournalRecord, durable: boolean): Promise<string> {
    return new Promise((done, failed) => {
      this.#pending.push({ make, durable, done, failed });
      this.#flushing ??= this.#flush().finally(() => {
        this.#flushing = undefined;
      });
    });
  }

  async #flush(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = [...this.#pendingEnds(), ...this.#pending.splice(0)];
      try {
        const ids = await this.#writeBatch(batch);
        batch.forEach((entry, index) => {
          entry.done(ids[index]!);
        });
      } catch (error) {
        await this.#abandonSegment();
        for (const entry of batch) entry.failed(error);
      }
    }
  }

  #pendingEnds(): Pending[] {
    return this.#unwrittenEnds.splice(0).map((record) => ({
      make: () => record,
      durable: true,
      done: () => {},
      failed: () => this.#unwrittenEnds.push(record),
    }));
  }

  /** Appending the first one takes the others along. */
  async #retryEnds(): Promise<void> {
    const [first] = this.#unwrittenEnds.splice(0, 1);
    if (first !== undefined) await this.end(first.id, first.outcome, true).catch(() => {});
  }

  async #writeBatch(batch: readonly Pending[]): Promise<string[]> {
    const segment = await this.#current();
    const buffers: Buffer[] = [];
    const begun: string[] = [];
    let offset = segment.size;
    const ids = batch.map(({ make }) => {
      const id = changeIdAt({ segment: segment.number, offset });
      const record = make(id);
      const bytes = encodeRecord(record);
      if (record.type === 'begin') begun.push(id);
      buffers.push(bytes);
      offset += bytes.length;
      return id;
    });
    await writeAll(segment.handle, Buffer.concat(buffers), segment.size);
    if (batch.some(({ durable }) => durable)) await segment.handle.datasync();
    segment.size = offset;
    for (const id of begun) {
      this.#open.add(id);
      this.#unreported.add(id);
    }
    return ids;
  }

  async #current(): Promise<Segment> {
    const now = this.#now();
    const segment = this.#segment;
    if (segment !== undefined) {
      const full = segment.size >= SEGMENT_BYTES || now - segment.openedAt > DAY_MS;
      const inPlace = await isSegment(this.#root, segment.number, segment.handle);
      if (!full && inPlace) return segment;
      await segment.handle.close();
      this.#segment = undefined;
      // Another vault is in its place, with its own segments.
      if (!inPlace) this.#lastNumber = Math.max(this.#lastNumber, await lastSegment(this.#root));
    }
    const number = this.#lastNumber + 1;
    using directory = makeParent(this.#root, `${JOURNAL_FOLDER}/x`);
    const handle = await open(directory.at(segmentName(number)), CREATE, 0o600);
    const carry = encodeRecord({ type: 'carry', open: [...this.#open] });
    try {
      await directory.sync();
      await writeAll(handle, carry, 0);
    } catch (error) {
      await handle.close();
      throw error;
    }
    this.#lastNumber = number;
    this.#segment = { number, handle, openedAt: now, size: carry.length };
    // One day may exceed the size limit. The last full segment stays; `purge` reports failures.
    const needed = Math.min(this.settled([]).segment, number - 1);
    await this.#removeBelow(needed).catch(() => {});
    return this.#segment;
  }

  async #removeBelow(needed: number): Promise<void> {
    await removeSegments(this.#root, needed, this.#now() - RETENTION_MS);
  }

  /** After a failed write the end of the segment is undefined; the next record opens a new one. */
  async #abandonSegment(): Promise<void> {
    const segment = this.#segment;
    this.#segment = undefined;
    await segment?.handle.truncate(segment.size).catch(() => {});
    await segment?.handle.close().catch(() => {});
  }
}
