/** What a decoy sends back. The same question gives the same bytes, and never over 4 KiB. */
import type { Fields } from '../core/log.ts';
import { DAY_MS } from './day.ts';
import type { Draw } from './draw.ts';
import type { Probe } from './probe.ts';

export const MAX_BODY_BYTES = 4_096;
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
  return textAnswer(JSON.stringify(value), type);
}

export function textAnswer(body: string, type: string): Answer {
  return { status: 200, headers: ['Content-Type', type], body, honeytokens: 0 };
}

/** A file as a file server sends it: with its date and tag, or 304 to a client that has it. */
export function fileAnswer(
  probe: Probe,
  draw: Draw,
  file: { readonly body: string; readonly type: string; readonly honeytokens: number },
): Answer {
  const modifiedMs = fileTime(probe, draw);
  const modified = new Date(modifiedMs).toUTCString();
  const tag = `"${(modifiedMs / 1000).toString(16)}-${file.body.length.toString(16)}"`;
  const validators = ['Last-Modified', modified, 'ETag', tag];
  if (isKnown(probe, tag, modifiedMs)) {
    return { status: 304, headers: validators, body: '', honeytokens: 0 };
  }
  const headers = ['Content-Type', file.type, ...validators];
  return { status: 200, headers, body: file.body, honeytokens: file.honeytokens };
}

/** Whole seconds within the day before, so that a file never comes from the future. */
function fileTime({ path, day }: Probe, draw: Draw): number {
  let spread = draw.ofDay('file times', day);
  for (let at = 0; at < path.length; at++) spread = (spread * 31 + path.charCodeAt(at)) % 80_000;
  return day * DAY_MS - 1000 * (1 + spread);
}

/** RFC 9110, section 13.2.2: the tag decides where there is one. */
function isKnown({ method, headers }: Probe, tag: string, modifiedMs: number): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const tags = headers['if-none-match'];
  if (tags !== undefined) return tags === '*' || tags.includes(tag);
  const since = headers['if-modified-since'];
  return since !== undefined && Date.parse(since) >= modifiedMs;
}
