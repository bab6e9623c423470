/** What a decoy sends back. The same question gives the same bytes, and never over 4 KiB. */
import type { Fields } from '../core/log.ts';
import { DAY_MS } from './day.ts';
import type { Draw } from './draw.ts';
import type { Probe } from './probe.ts';

export const MAX_BODY_BYTES = 4_096;
const MAX_FILE_TIMES = 256;
export const JSON_TYPE = 'application/json';
export const TEXT_TYPE = 'text/plain; charset=utf-8';

export interface Answer {
  readonly status: number;
  /** Names and values in turn, as they are sent; the length is added by the sender. */
  readonly headers: readonly string[];
  readonly body: string;
  /** How many honeytokens the answer holds. */
  readonly honeytokens: number;
  /** What the request told beyond its path, for the event line. */
  readonly facts?: Fields;
}

export function jsonAnswer(value: unknown, type = JSON_TYPE): Answer {
  const body = JSON.stringify(value);
  return { status: 200, headers: ['Content-Type', type], body, honeytokens: 0 };
}

/** A file as a file server sends it: with its date and tag, or 304 to a client that has it. */
export function fileAnswer(
  probe: Probe,
  times: FileTimes,
  file: { readonly body: string; readonly type: string; readonly honeytokens: number },
): Answer {
  const { ms, date, seconds } = times.of(probe.path, probe.day);
  const tag = `"${seconds}-${file.body.length.toString(16)}"`;
  if (isKnown(probe, tag, ms)) {
    const headers = ['Last-Modified', date, 'ETag', tag];
    return { status: 304, headers, body: '', honeytokens: 0 };
  }
  const headers = ['Content-Type', file.type, 'Last-Modified', date, 'ETag', tag];
  return { status: 200, headers, body: file.body, honeytokens: file.honeytokens };
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

/** RFC 9110, section 13.2.2: the tag decides where there is one. */
function isKnown({ method, headers }: Probe, tag: string, modifiedMs: number): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const tags = headers['if-none-match'];
  if (tags !== undefined) return tags === '*' || tags.includes(tag);
  const since = headers['if-modified-since'];
  return since !== undefined && Date.parse(since) >= modifiedMs;
}
