/**
 * The error codes of the gateway and their statuses. A 4xx or 5xx of the upstream is not a refusal
 * but a normal result.
 */
export const REFUSAL_STATUS = {
  invalid_arguments: 400,
  invalid_url: 400,
  no_target: 403,
  blocked_network: 403,
  rate_limited: 429,
  method_not_allowed: 403,
  reserved_header: 400,
  invalid_header: 400,
  request_too_large: 413,
  body_injection_failed: 400,
  approval_required: 403,
  approval_denied: 403,
  redirect_out_of_scope: 403,
  /** 504 on a timeout. */
  credential_unavailable: 502,
  upstream_error: 502,
  upstream_timeout: 504,
  /** The client disconnected; only the audit line shows this. */
  cancelled: 499,
  /** A bug; the log has the cause. */
  internal_error: 500,
} as const;

export type RefusalCode = keyof typeof REFUSAL_STATUS;

interface RefusalOptions {
  /** Where the code has more than one. */
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
  /** Where a person decides. */
  readonly approval?: ApprovalReference | undefined;
}

interface ApprovalReference {
  readonly id: string;
  /** Absent where there is nothing to decide any more. */
  readonly url?: string;
}

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly approval: ApprovalReference | undefined;

  /** The message reaches the model, so it never quotes what a secret may be part of. */
  constructor(code: RefusalCode, message: string, options: RefusalOptions = {}) {
    super(message);
    this.code = code;
    this.status = options.status ?? REFUSAL_STATUS[code];
    this.retryAfterMs = options.retryAfterMs;
    this.approval = options.approval;
  }

  /** The shape that docs/gateway.md gives a tool error. */
  toObject(): {
    error: RefusalCode;
    message: string;
    status: number;
    retry_after_ms?: number;
    approval_id?: string;
    approval_url?: string;
  } {
    const { code, message, status, retryAfterMs, approval } = this;
    return {
      ...{ error: code, message, status },
      ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
      ...(approval && { approval_id: approval.id }),
      ...(approval?.url !== undefined && { approval_url: approval.url }),
    };
  }
}
