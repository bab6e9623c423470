/**
 * What waits to be searched for honeytokens, within a fixed room: requests in their order, and the
 * credentials of those for which there was no room.
 *
 * The attack: a flood that fills the room while a stolen token is used. So one source gets at most half of
 * what the others leave, and credentials have room of their own and go first.
 */
import { FairShare } from '../../core/limits/fair-share.ts';
import { Ring } from './ring.ts';
import type { Sighting } from './search.ts';

/** Of a body, inflated or not. */
export const MAX_BODY_SEARCHED = 64 * 1024;
const ROOM_BYTES = 8 * 1024 * 1024;
/** Each keeps a request with its headers until it is searched. */
const MAX_JOBS = 1_024;
const MAX_CREDENTIALS = 2_048;
/** The thread gets so many bytes at once, and their room is free again when all of them are searched. */
const BATCH_BYTES = 1024 * 1024;

export interface Job {
  /** As `suspiciousParts` gives it. */
  readonly head: string;
  readonly body?: Uint8Array;
  /** The `Content-Encoding`. */
  readonly coding?: string | undefined;
  /** Who sent it, as far as sources are limited. */
  readonly source: string;
  /** The address of the client, where the request is for the MCP decoy. */
  readonly mcpClient?: string | undefined;
  /** Of `head`, what is searched where there is no room for all of it. */
  credentials?(): string;
  onFound(sightings: readonly Sighting[]): void;
  /** Nothing in it is a token, nor one that was told before. */
  onClean?(): void;
}

export interface PlacedJob {
  readonly id: number;
  readonly offset: number;
  readonly headLength: number;
  readonly bodyLength: number;
  readonly coding: string | undefined;
  readonly source: string;
  readonly mcpClient: string | undefined;
}

/** Searched before all jobs that wait; as `suspiciousParts` gives them. */
export interface Credentials {
  readonly id: number;
  readonly head: string;
  readonly source: string;
  readonly mcpClient: string | undefined;
}

/** A request in the room. */
export interface Waiting {
  readonly job: Job;
  readonly placed: PlacedJob;
  readonly bytes: number;
}

export interface WaitingCredentials {
  readonly job: Job;
  readonly sent: Credentials;
}

export class SearchQueue {
  readonly #roomBytes: number;
  readonly #bytesOf: FairShare;
  readonly #jobsOf = new FairShare(MAX_JOBS);
  readonly #credentialsOf = new FairShare(MAX_CREDENTIALS);
  #ring: Ring | undefined;
  #lastId = 0;
  #jobs: Waiting[] = [];
  #credentials: WaitingCredentials[] = [];

  constructor(roomBytes = ROOM_BYTES) {
    this.#roomBytes = roomBytes;
    this.#bytesOf = new FairShare(roomBytes);
  }

  get hasJobs(): boolean {
    return this.#jobs.length > 0;
  }

  get hasCredentials(): boolean {
    return this.#credentials.length > 0;
  }

  /** Where the bytes of all jobs lie. */
  get room(): SharedArrayBuffer {
    return this.#ringOfRoom.room;
  }

  /** False where there is no room for it. */
  addWhole(job: Job): boolean {
    const { head, coding, source, mcpClient } = job;
    const body = job.body?.subarray(0, MAX_BODY_SEARCHED);
    const bodyLength = body?.length ?? 0;
    const bytes = head.length + bodyLength;
    const offset = this.#take(source, bytes);
    if (offset < 0) return false;
    const { bytes: room } = this.#ringOfRoom;
    room.write(head, offset, 'latin1');
    if (body) room.set(body, offset + head.length);
    const headLength = head.length;
    const id = ++this.#lastId;
    const placed = { id, offset, headLength, bodyLength, coding, source, mcpClient };
    this.#jobs.push({ job, placed, bytes });
    return true;
  }

  addCredentials(job: Job): void {
    const { source, mcpClient } = job;
    const head = job.credentials?.() ?? '';
    if (head === '' || !this.#credentialsOf.take(source, 1)) return;
    this.#credentials.push({ job, sent: { id: ++this.#lastId, head, source, mcpClient } });
  }

  /** The first jobs, as many as one batch holds. */
  takeJobs(): readonly Waiting[] {
    let bytes = 0;
    const end = this.#jobs.findIndex((one) => {
      bytes += one.bytes;
      return bytes > BATCH_BYTES;
    });
    return this.#jobs.splice(0, end < 0 ? this.#jobs.length : Math.max(end, 1));
  }

  takeAllJobs(): readonly Waiting[] {
    return this.#jobs.splice(0);
  }

  takeCredentials(): readonly WaitingCredentials[] {
    return this.#credentials.splice(0);
  }

  /** Frees their room. Jobs are released in the order in which they were taken. */
  releaseJobs(jobs: readonly Waiting[]): void {
    for (const { placed, bytes } of jobs) {
      this.#jobsOf.giveBack(placed.source, 1);
      this.#bytesOf.giveBack(placed.source, bytes);
      this.#ringOfRoom.giveBack();
    }
  }

  releaseCredentials(credentials: readonly WaitingCredentials[]): void {
    for (const { sent } of credentials) this.#credentialsOf.giveBack(sent.source, 1);
  }

  /** Where the bytes have their place, or -1. */
  #take(source: string, bytes: number): number {
    if (!this.#jobsOf.take(source, 1)) return -1;
    if (this.#bytesOf.take(source, bytes)) {
      const offset = this.#ringOfRoom.take(bytes);
      if (offset >= 0) return offset;
      this.#bytesOf.giveBack(source, bytes);
    }
    this.#jobsOf.giveBack(source, 1);
    return -1;
  }

  /** Made with the first job: most servers never see one. */
  get #ringOfRoom(): Ring {
    this.#ring ??= new Ring(this.#roomBytes);
    return this.#ring;
  }
}
