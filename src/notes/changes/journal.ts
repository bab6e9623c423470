/**
 * Every change of a vault before it is made: which files, and the bytes they had.
 *
 * The journal is a row of append-only segments under `.notes/journal`. A change is on disk here
 * before the first of its files is touched, so that a change that was cut off can be taken back at
 * the next start and a finished one can be undone for thirty days. A change id says where its
 * record lies (`segment-offset-tag`), so no index of changes is held in memory. Changes that
 * arrive while one is being synced share the next sync.
 */
import { constants, type FileHandle, open } from 'node:fs/promises';
import { DAY_MS } from '../../core/time.ts';
import { makeParent, using } from '../files/directory.ts';
import { changeIdAt, isBefore, type Position, positionOf } from './change-id.ts';
import {
  type BeginRecord,
  decodeRecord,
  type EndRecord,
  encodeRecord,
  type JournalRecord,
} from './journal-record.ts';
import {
  isSegment,
  JOURNAL_FOLDER,
  lastSegment,
  listSegments,
  readRecord,
  readSegment,
  removeSegments,
  segmentName,
  writeAll,
} from './journal-segments.ts';

const SEGMENT_BYTES = 8 * 1024 * 1024;
export const RETENTION_MS = 30 * DAY_MS;
/** A number above the last one may be left from an attempt that failed; it holds no record. */
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
  /** Begun and not ended. */
  readonly #open = new Set<string>();
  /** Begun and not yet known to everyone who must know. */
  readonly #untold = new Set<string>();
  /** What the disk did not take; the next records bring these along. */
  #owedEnds: EndRecord[] = [];

  private constructor(root: string, lastNumber: number, now: () => number) {
    this.#root = root;
    this.#lastNumber = lastNumber;
    this.#now = now;
  }

  /** A new start never appends to an old segment, whose end may have been cut off. */
  static async open(root: string, now: () => number): Promise<Journal> {
    makeParent(root, `${JOURNAL_FOLDER}/x`).close();
    return new Journal(root, await lastSegment(root), now);
  }

  /** Returns the change's id once the record is safe on disk. */
  async begin(change: Omit<BeginRecord, 'type' | 'id' | 'at'>): Promise<string> {
    const at = new Date(this.#now()).toISOString();
    const id = await this.#append((id) => ({ type: 'begin', id, at, ...change }), true);
    return id;
  }

  /**
   * A single file is old or new whatever is written here; a change of many must know. Where the
   * disk refuses the record it is written with the next one, at the next purge or at the end.
   */
  async end(id: string, outcome: 'done' | 'reverted', durable: boolean): Promise<void> {
    const record: EndRecord = { type: 'end', id, outcome };
    try {
      await this.#append(() => record, durable);
    } catch (error) {
      this.#owedEnds.push(record);
      throw error;
    } finally {
      this.#open.delete(id);
    }
  }

  /** Everyone who must know of the change has been told. */
  told(id: string): void {
    this.#untold.delete(id);
  }

  /** A change of the last thirty days. */
  async find(id: string): Promise<BeginRecord | undefined> {
    const record = await this.#begun(id);
    if (record === undefined) return undefined;
    return Date.parse(record.at) < this.#now() - RETENTION_MS ? undefined : record;
  }

  /** Whether the change is being made or told of right now. */
  isOpen(id: string): boolean {
    return this.#open.has(id) || this.#untold.has(id);
  }

  /** The changes that an earlier process began and did not end, however long ago, newest first. */
  async unfinished(): Promise<BeginRecord[]> {
    const open = new Set<string>();
    for await (const record of this.since({ segment: await this.#lastCarry(), offset: 0 })) {
      if (record.type === 'begin') open.add(record.id);
      if (record.type === 'end') open.delete(record.id);
      if (record.type === 'carry') for (const id of record.open) open.add(id);
    }
    const found = await Promise.all([...open].map((id) => this.#begun(id)));
    const begun = found.filter((record) => record !== undefined);
    // The next segment says of them, too, until each has ended: this process may be killed as well.
    for (const { id } of begun) this.#open.add(id);
    return begun.reverse();
  }

  /** The whole records from a position on, in the order in which they were written. */
  async *since(from: Position): AsyncGenerator<JournalRecord> {
    for (const number of await listSegments(this.#root)) {
      if (number < from.segment) continue;
      const bytes = await readSegment(this.#root, number);
      let offset = number === from.segment ? from.offset : 0;
      while (bytes !== undefined && offset < bytes.length) {
        const decoded = decodeRecord(bytes, offset);
        if (decoded === undefined) break;
        yield decoded.record;
        offset = decoded.next;
      }
    }
  }

  /** Before it every change has ended and been told of, but for those given. */
  settled(owed: Iterable<string>): Position {
    let least: Position = this.#segment
      ? { segment: this.#segment.number, offset: this.#segment.size }
      : { segment: this.#lastNumber + 1, offset: 0 };
    for (const id of [...this.#open, ...this.#untold, ...owed]) {
      const position = positionOf(id);
      if (position !== undefined && isBefore(position, least)) least = position;
    }
    return least;
  }

  /** Drops what is older than thirty days, then the oldest of what is too much. */
  async purge(): Promise<void> {
    await this.#writeOwedEnds();
    await this.#removeBelow(this.settled([]).segment);
  }

  async close(): Promise<void> {
    await this.#writeOwedEnds();
    await this.#flushing;
    await this.#segment?.handle.close();
    this.#segment = undefined;
  }

  async #begun(id: string): Promise<BeginRecord | undefined> {
    const position = positionOf(id);
    if (position === undefined) return undefined;
    const record = await readRecord(this.#root, position);
    return record?.type === 'begin' && record.id === id ? record : undefined;
  }

  /** The last segment that says what was open when it began; the newest may be still empty. */
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
      const batch = [...this.#owed(), ...this.#pending.splice(0)];
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

  #owed(): Pending[] {
    return this.#owedEnds.splice(0).map((record) => ({
      make: () => record,
      durable: true,
      done: () => {},
      failed: () => this.#owedEnds.push(record),
    }));
  }

  /** What the disk refuses once more stays owed. */
  async #writeOwedEnds(): Promise<void> {
    const [first] = this.#owedEnds.splice(0, 1);
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
      this.#untold.add(id);
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
      // Whoever put another vault there put its segments there, too.
      if (!inPlace) this.#lastNumber = Math.max(this.#lastNumber, await lastSegment(this.#root));
    }
    const number = this.#lastNumber + 1;
    const handle = await using(makeParent(this.#root, `${JOURNAL_FOLDER}/x`), async (directory) => {
      const created = await open(directory.at(segmentName(number)), CREATE, 0o600);
      await directory.sync();
      return created;
    });
    const carry = encodeRecord({ type: 'carry', open: [...this.#open] });
    try {
      await writeAll(handle, carry, 0);
    } catch (error) {
      await handle.close();
      throw error;
    }
    this.#lastNumber = number;
    this.#segment = { number, handle, openedAt: now, size: carry.length };
    // A day may bring more than is kept. What was written last stays, however much it is; what
    // cannot be removed is told of by the purge.
    const needed = Math.min(this.settled([]).segment, number - 1);
    await this.#removeBelow(needed).catch(() => {});
    return this.#segment;
  }

  async #removeBelow(needed: number): Promise<void> {
    await removeSegments(this.#root, needed, this.#now() - RETENTION_MS);
  }

  /** After a failed write the end of the segment is unknown; the next record starts a new one. */
  async #abandonSegment(): Promise<void> {
    const segment = this.#segment;
    this.#segment = undefined;
    await segment?.handle.truncate(segment.size).catch(() => {});
    await segment?.handle.close().catch(() => {});
  }
}
