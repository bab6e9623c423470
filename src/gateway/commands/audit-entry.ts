/** Parses one audit line: validates every field and cuts every text. */
import { type JsonFields, timeOf } from '../../core/report/json-lines.ts';

export interface AuditEntry {
  readonly timeMs: number;
  /** Empty where nobody was signed in. */
  readonly user: string;
  /** Empty for a call that matched none. */
  readonly target: string;
  /** `mcp` or `http`; empty in lines of former versions. */
  readonly door: string;
  /** The name of the key of a call through the HTTP door. */
  readonly key: string;
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly durationMs: number;
  readonly bytes: number;
  readonly isTruncated: boolean;
  readonly redacted: number;
  /** The code of a refusal; empty for an answer. */
  readonly error: string;
}

const MAX_TEXT = 256;
const MAX_URL = 2_048;

/** `other` for another event, undefined for a malformed audit line. */
export function auditEntry(fields: JsonFields): AuditEntry | 'other' | undefined {
  if (fields.event !== 'request') return 'other';
  const timeMs = timeOf(fields);
  if (timeMs === undefined) return undefined;
  return {
    timeMs,
    user: text(fields.user),
    target: text(fields.target),
    door: text(fields.door),
    key: text(fields.key),
    method: text(fields.method),
    url: text(fields.url, MAX_URL),
    status: count(fields.status),
    durationMs: count(fields.duration_ms),
    bytes: count(fields.bytes),
    isTruncated: fields.truncated === true,
    redacted: count(fields.redacted),
    error: text(fields.error),
  };
}

function text(value: unknown, maxLength = MAX_TEXT): string {
  return typeof value === 'string' ? value.slice(0, maxLength) : '';
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
