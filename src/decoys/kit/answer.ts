/** A decoy's response: deterministic, and bounded. */

import { hash } from 'node:crypto';
import { countTokens } from '../../core/honeytokens/mask.ts';
import type { Fields } from '../../core/log/log.ts';
import { DAY_MS } from '../../core/time.ts';
import type { Draw } from '../persona/draw.ts';
import { failedCondition, wantedRange } from './conditions.ts';
import type { Probe } from './probe.ts';

export const MAX_BODY_BYTES = 256 * 1024;
const MAX_FILE_TIMES = 256;
/**
 * Prevents shared caches from giving the tokens of one client to the next (RFC 9111, section 4.2.2,
 * permits any cache to keep a file with a date), which would accuse the wrong address.
 */
const FOR_ONE_CLIENT = ['Cache-Control', 'private'];
export const JSON_TYPE = 'application/json';
export const TEXT_TYPE = 'text/plain; charset=utf-8';

export interface Answer {
  readonly status: number;
  /** Names and values in turn, as they are sent; the length is added by the sender. */
  readonly headers: readonly string[];
  readonly body: string;
  /** Whether each character of the body is one byte, instead of UTF-8. */
  readonly isBinary?: boolean;
  /** What follows the body while the connection lasts; the answer has no length then. */
  readonly stream?: Stream;
  readonly delivery?: Delivery;
  /** How many honeytokens the answer holds. */
  readonly honeytokens: number;
  /** Facts about the request beyond its path, for the event line. */
  readonly facts?: Fields;
}

interface Stream {
  readonly chunks?: readonly string[];
  readonly everyMs?: number;
  /** Whether it stays open behind its body, with comments that keep it alive. */
  readonly staysOpen?: true;
  /** The name by which a `Delivery` finds it. */
  readonly channel?: string;
}

/** Sent on a stream that stays open, or else as the answer. */
export interface Delivery {
  readonly channel: string;
  readonly text: string;
}

export function bytesOfBody({ body, isBinary }: Answer): number {
  return isBinary ? body.length : Buffer.byteLength(body);
}

export function jsonAnswer(value: unknown, type = JSON_TYPE): Answer {
  const body = JSON.stringify(value);
  return { status: 200, headers: ['Content-Type', type], body, honeytokens: 0 };
}

interface File {
  readonly body: string;
  readonly type: string;
  readonly honeytokens: number;
  /** Further headers, names and values in turn. */
  readonly headers?: readonly string[];
}

/** A file as a file server sends it, with date, entity tag, ranges and conditions. Its text is ASCII. */
export function fileAnswer(probe: Probe, times: FileTimes, file: File): Answer {
  const { ms, date, seconds } = times.of(probe.path, probe.day);
  const { body, type } = file;
  const version = { ms, date, tag: `"${seconds}-${hash('sha1', body).slice(0, 12)}"` };
  const about = [
    ...['Last-Modified', date, 'ETag', version.tag],
    ...FOR_ONE_CLIENT,
    ...(file.headers ?? []),
  ];
  const failed = failedCondition(probe, version);
  if (failed !== undefined) return { status: failed, headers: about, body: '', honeytokens: 0 };
  const range = wantedRange(probe, version, body.length);
  if (range === 'none') return noSuchPart(body.length);
  const headers = ['Content-Type', type, ...about, 'Accept-Ranges', 'bytes'];
  if (range === undefined) return { status: 200, headers, body, honeytokens: file.honeytokens };
  const part = body.slice(range.start, range.end);
  const place = `bytes ${range.start}-${range.end - 1}/${body.length}`;
  return {
    status: 206,
    headers: [...headers, 'Content-Range', place],
    body: part,
    honeytokens: Math.min(countTokens(part), file.honeytokens),
  };
}

function noSuchPart(size: number): Answer {
  const sort = ['Content-Type', TEXT_TYPE, 'X-Content-Type-Options', 'nosniff'];
  const headers = ['Content-Range', `bytes */${size}`, ...sort];
  const body = 'invalid range: failed to overlap\n';
  return { status: 416, headers, body, honeytokens: 0 };
}

interface FileTime {
  readonly ms: number;
  /** As `Last-Modified` says it. */
  readonly date: string;
  /** Seconds since 1970 in hexadecimal, for the tag. */
  readonly seconds: string;
}

/** When the files were changed: whole seconds within the day before, never in the future. */
export class FileTimes {
  readonly #draw: Draw;
  readonly #known = new Map<string, FileTime>();
  #day = 0;

  constructor(draw: Draw) {
    this.#draw = draw;
  }

  of(path: string, day: number): FileTime {
    if (day !== this.#day || this.#known.size >= MAX_FILE_TIMES) this.#known.clear();
    this.#day = day;
    let time = this.#known.get(path);
    if (time === undefined) {
      const secondsAgo = 1 + this.#draw.number(`file time ${path} ${day}`, 80_000);
      const ms = day * DAY_MS - secondsAgo * 1000;
      time = { ms, date: new Date(ms).toUTCString(), seconds: (ms / 1000).toString(16) };
      this.#known.set(path, time);
    }
    return time;
  }
}
