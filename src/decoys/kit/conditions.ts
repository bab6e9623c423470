/** Conditional requests (`If-Match`, `If-None-Match`, the dates) and ranges, as in RFC 9110. */
import type { Probe } from './probe.ts';

/** The version of a file. */
interface Version {
  readonly tag: string;
  /** As `Last-Modified` says it, and as a number. */
  readonly date: string;
  readonly ms: number;
}

/** RFC 9110, section 13.2.2: the status that ends the request, if a condition does. */
export function failedCondition(probe: Probe, version: Version): 304 | 412 | undefined {
  if (!isWanted(probe, version)) return 412;
  return isKnown(probe, version) ? 304 : undefined;
}

function isWanted({ headers }: Probe, { tag, ms }: Version): boolean {
  const tags = headers['if-match'];
  if (tags !== undefined) return tags === '*' || tags.split(/\s*,\s*/).includes(tag);
  const since = headers['if-unmodified-since'];
  return since === undefined || !(Date.parse(since) < ms);
}

function isKnown({ method, headers }: Probe, { tag, ms }: Version): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const tags = headers['if-none-match'];
  if (tags !== undefined) return tags === '*' || tags.includes(tag);
  const since = headers['if-modified-since'];
  return since !== undefined && Date.parse(since) >= ms;
}

/** From the first byte up to, but not including, `end`. */
interface Range {
  readonly start: number;
  readonly end: number;
}

const ONE_RANGE = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/;

/**
 * RFC 9110, section 14.2. `undefined` means the whole file, also for several ranges at once, which
 * a server may leave alone; `none` means that the file has no such part.
 */
export function wantedRange(
  probe: Probe,
  version: Version,
  size: number,
): Range | 'none' | undefined {
  const { method, headers } = probe;
  const found = method === 'GET' ? ONE_RANGE.exec(headers.range ?? '') : null;
  if (found === null) return undefined;
  const known = headers['if-range'];
  if (known !== undefined && known !== version.tag && known !== version.date) return undefined;
  const [, first, last, suffix] = found;
  const start = suffix === undefined ? Number(first) : Math.max(0, size - Number(suffix));
  const end = last ? Math.min(size, Number(last) + 1) : size;
  if (last && Number(last) < start) return undefined;
  return start < size ? { start, end } : 'none';
}
