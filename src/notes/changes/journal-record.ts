/**
 * The format of a journal record: a line `<crc32 of the json> <json>\n`, its before-images
 * concatenated, and `\n`. A record truncated by a crash fails its checksum or its length and counts
 * as never written.
 */
import { crc32 } from 'node:zlib';

/** A step of a change. Steps are applied in order and rolled back in reverse order. */
export type Operation = WriteOperation | MoveOperation;

export interface WriteOperation {
  readonly kind: 'write';
  readonly path: string;
  /** The before-image; absent when the change creates the file. */
  readonly before?: Buffer;
  readonly beforeHash?: string;
  readonly afterHash: string;
}

/** Moves a file or a folder within the vault, into the trash or out of it. */
export interface MoveOperation {
  readonly kind: 'move';
  readonly from: string;
  readonly to: string;
  /** The content hash of a file at the time of the move. */
  readonly hash?: string;
  /** The inode of a folder. */
  readonly folder?: string;
  /** The files of a folder: path relative to it, and content hash at that time. */
  readonly files?: readonly (readonly [path: string, hash: string])[];
  /** Whether `from` had a twin in another case or Unicode form. */
  readonly twin?: boolean;
}

export interface BeginRecord {
  readonly type: 'begin';
  readonly id: string;
  readonly at: string;
  readonly tool: string;
  /** Whether git was on, so that the change must be committed. */
  readonly git: boolean;
  readonly operations: readonly Operation[];
  /** The folders that the change creates, outermost first. */
  readonly folders: readonly string[];
}

export interface EndRecord {
  readonly type: 'end';
  readonly id: string;
  readonly outcome: 'done' | 'reverted';
}

/** Opens a segment: the changes of earlier segments that have not ended. */
export interface CarryRecord {
  readonly type: 'carry';
  readonly open: readonly string[];
}

export type JournalRecord = BeginRecord | EndRecord | CarryRecord;

interface Header {
  readonly images: readonly number[];
  readonly crc: number;
}

export function encodeRecord(record: JournalRecord): Buffer {
  const images: Buffer[] = [];
  const body = JSON.stringify(record, (key, value: unknown) => {
    if (key !== 'operations') return value;
    return (value as Operation[]).map((operation) => {
      if (operation.kind === 'move' || operation.before === undefined) return operation;
      images.push(operation.before);
      return { ...operation, before: images.length - 1 };
    });
  });
  const tail = Buffer.concat(images);
  const header: Header = { images: images.map((image) => image.length), crc: crc32(tail) };
  const json = Buffer.from(`${JSON.stringify(header)} ${body}`);
  const sum = crc32(json).toString(16).padStart(8, '0');
  return Buffer.concat([Buffer.from(`${sum} `), json, Buffer.from('\n'), tail, Buffer.from('\n')]);
}

const NEWLINE = 0x0a;

/** The record at `offset` and the offset of the next; undefined without a complete record. */
export function decodeRecord(
  segment: Buffer,
  offset: number,
): { record: JournalRecord; next: number } | undefined {
  const lineEnd = segment.indexOf(NEWLINE, offset);
  if (lineEnd === -1) return undefined;
  const line = segment.subarray(offset, lineEnd);
  const sum = Number.parseInt(line.toString('latin1', 0, 8), 16);
  const json = line.subarray(9);
  if (crc32(json) !== sum) return undefined;
  const text = json.toString();
  const split = text.indexOf('} ') + 1;
  const header = JSON.parse(text.slice(0, split)) as Header;
  const tailLength = header.images.reduce((sum, length) => sum + length, 0);
  const next = lineEnd + 1 + tailLength + 1;
  if (next > segment.length) return undefined;
  const tail = segment.subarray(lineEnd + 1, next - 1);
  if (crc32(tail) !== header.crc) return undefined;
  const record = JSON.parse(text.slice(split + 1)) as JournalRecord;
  return { record: record.type === 'begin' ? withImages(record, tail, header) : record, next };
}

/** The complete records from `offset` on. */
export function* decodeRecords(segment: Buffer, offset = 0): Generator<JournalRecord> {
  for (let at = offset; at < segment.length; ) {
    const decoded = decodeRecord(segment, at);
    if (decoded === undefined) return;
    yield decoded.record;
    at = decoded.next;
  }
}

function withImages(record: BeginRecord, tail: Buffer, header: Header): BeginRecord {
  const images: Buffer[] = [];
  let start = 0;
  for (const length of header.images) {
    images.push(tail.subarray(start, start + length));
    start += length;
  }
  const operations = record.operations.map((operation) => {
    if (operation.kind === 'move' || operation.before === undefined) return operation;
    return { ...operation, before: images[operation.before as unknown as number]! };
  });
  return { ...record, operations };
}
