/**
 * The audit line of one request, allowed or refused: the fields of docs/gateway.md, each once.
 * Bodies are never in it, nor the value of anything injected.
 */
import type { Caller } from '../core/http/caller.ts';
import type { TraceContext } from '../core/http/trace-context.ts';
import type { Fields, Log } from '../core/log/log.ts';
import type { CallOrigin, RecentCalls } from '../core/recent-calls/recent-calls.ts';
import { REDACTED } from '../core/secrets/secret.ts';
import type { Approval } from './approvals/approvals.ts';
import type { Target } from './config/config.ts';
import { injectParameters, maskParameters } from './request/query-string.ts';
import type { Refusal } from './request/refusal.ts';
import type { RequestArguments } from './request/request.ts';
import { formatUrl, type RequestUrl } from './request/request-url.ts';

const MAX_URL = 2_048;
const MAX_METHOD = 32;

/** Who calls, and through which door: over MCP, or with a key over HTTP. */
export type AuditedCaller =
  | (Caller & { readonly door: 'mcp' })
  | (Pick<Caller, 'user' | 'incarnation'> & { readonly door: 'http'; readonly key: string });

export interface AuditLine {
  readonly user: string;
  /** The registered client; null for a call through the HTTP door. */
  readonly client_id: string | null;
  readonly door: 'mcp' | 'http';
  /** The name of the key that a call through the HTTP door presented; not in the line of others. */
  readonly key: string | undefined;
  /** The trace that the client says the call belongs to. */
  trace_id?: string;
  /** The id of the matched target; null for a call that matched none. */
  target: string | null;
  /** The method asked for. */
  readonly method: string;
  /** The URL asked for, with every parameter the target injects as `[REDACTED]`. */
  url: string;
  /** The upstream's status, or the status of the refusal. */
  status: number;
  duration_ms: number;
  /** Bytes of body read from the upstream, as they came: compressed ones count as they are. */
  bytes: number;
  truncated: boolean;
  /** Names, never values, of the secrets attached. */
  injected: readonly string[];
  /** How many secret values were removed; above zero, the upstream reflected a credential. */
  redacted: number;
  /** The refusal code, when the gateway refused. */
  error?: string;
  /** Of a call that needed a person's approval. */
  approval_id?: string;
  /** Who approved it, when, and as what: `once`, `15m` or `1h`. */
  approved_by?: string;
  approved_at?: string;
  approved_for?: string;
}

export class Audit {
  readonly line: AuditLine;
  readonly #startedAt = performance.now();
  readonly #caller: AuditedCaller;
  readonly #clean: (text: string) => string;
  #response: { readonly bytesRead: number } | undefined;

  constructor(
    caller: AuditedCaller,
    args: Pick<RequestArguments, 'url' | 'method'>,
    clean: (text: string) => string,
  ) {
    this.#caller = caller;
    this.#clean = clean;
    // Without a spread: V8 adds each property behind one by a call into its runtime.
    this.line = {
      user: caller.user,
      client_id: caller.door === 'mcp' ? caller.clientId : null,
      door: caller.door,
      key: caller.door === 'mcp' ? undefined : caller.key,
      target: null,
      method: short((args.method ?? 'GET').toUpperCase(), MAX_METHOD, clean),
      url: withoutCredentials(args.url),
      status: 0,
      duration_ms: 0,
      bytes: 0,
      truncated: false,
      injected: [],
      redacted: 0,
    };
  }

  /** Who made the call. */
  get by(): { readonly caller: AuditedCaller; readonly origin: CallOrigin } {
    return { caller: this.#caller, origin: originOf(this.#caller) };
  }

  traced(trace: TraceContext | undefined): void {
    if (trace) this.line.trace_id = trace.traceId;
  }

  requested(url: RequestUrl): void {
    this.line.url = formatUrl(url);
  }

  matched(url: RequestUrl, target: Target | undefined): void {
    if (!target) return;
    this.line.target = target.id;
    if (target.inject.query.size === 0) return;
    const names = [...target.inject.query.keys()];
    const sent = injectParameters(url.query, Object.fromEntries(names.map((name) => [name, ''])));
    this.line.url = formatUrl(url, maskParameters(sent, names));
  }

  approved({ id, decision: { by, atMs, how } }: Approval): void {
    this.line.approval_id = id;
    this.line.approved_by = by;
    this.line.approved_at = new Date(atMs).toISOString();
    this.line.approved_for = how;
  }

  injected(target: Target | undefined): void {
    this.line.injected = target?.inject.secretNames ?? [];
  }

  /** From here on the body is read; how far it came counts, also where it ends in a refusal. */
  reading(response: { readonly bytesRead: number }): void {
    this.#response = response;
  }

  answered(answer: { status: number; redacted: number }, truncated: boolean): void {
    this.line.status = answer.status;
    this.line.redacted = answer.redacted;
    this.line.truncated = truncated;
  }

  refused(refusal: Refusal): void {
    this.line.status = refusal.status;
    this.line.error = refusal.code;
    if (refusal.approval) this.line.approval_id = refusal.approval.id;
  }

  elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }

  write({ log, recent }: { readonly log: Log; readonly recent: RecentCalls }): void {
    const line = this.line;
    line.url = short(line.url, MAX_URL, this.#clean);
    line.duration_ms = this.elapsedMs();
    line.bytes = this.#response?.bytesRead ?? 0;
    const fields = line as unknown as Fields;
    const isPlain = log.always(line.error ? 'warn' : 'info', 'request', fields);
    const place = hostAndPath(line.url);
    recent.add(this.#caller, originOf(this.#caller), {
      atMs: Date.now(),
      tool: 'http_request',
      target: line.target ?? undefined,
      method: line.method,
      place: isPlain ? place : this.#clean(place),
      status: line.status,
      refusal: line.error,
      durationMs: line.duration_ms,
      bytes: line.bytes,
    });
  }
}

function originOf(caller: AuditedCaller): CallOrigin {
  if (caller.door === 'http') return { key: caller.key };
  return { signInId: caller.signInId ?? '', clientId: caller.clientId };
}

/** Of a URL that may not parse. */
function hostAndPath(url: string): string {
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/[?#].*$/s, '');
}

/** Of a URL that may not parse, so every `@` before the query counts, with whatever precedes it. */
function withoutCredentials(url: string): string {
  if (!url.includes('@')) return url;
  return url.replace(/^([a-z][a-z0-9+.-]*:)?[^?#]*@/i, `$1//${REDACTED}@`);
}

/** Cleans before the cut: half a secret would not be recognised. What is not cut, the log cleans. */
function short(text: string, maxLength: number, clean: (text: string) => string): string {
  if (text.length <= maxLength) return text;
  const safe = clean(text);
  return safe.length > maxLength ? `${safe.slice(0, maxLength)}…` : safe;
}

/** The audit line of a request at `/mcp` that is refused before the caller is known. */
export function writeUnauthenticatedLine(
  log: Log,
  url: string,
  { method, clientAddress: ip }: { readonly method: string; readonly clientAddress: string },
  status: 400 | 401 | 403 | 429,
  error: string,
): void {
  const line = { user: null, client_id: null, target: null, method, url, status };
  log.always('warn', 'request', { ...line, error, ip });
}
