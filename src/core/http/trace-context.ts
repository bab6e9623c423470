/**
 * The trace of a call, in the headers `traceparent` and `tracestate` of W3C Trace Context. They are passed
 * on unchanged, without a span of our own.
 */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
  /** For log lines. */
  readonly traceId: string;
}

/** Of version 00, and the same fields of later versions. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/** Undefined without a valid `traceparent`; an invalid `tracestate` is dropped. */
export function readTraceContext(
  traceparent: unknown,
  tracestate: unknown,
): TraceContext | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const traceId = TRACEPARENT.exec(traceparent)?.[1];
  if (traceId === undefined) return undefined;
  const isValid = typeof tracestate === 'string' && TRACESTATE.test(tracestate);
  return { traceparent, traceId, ...(isValid && { tracestate }) };
}
