/** What is stored of approvals, all of it sealed. */

/** By the fingerprint of the request. */
export interface ApprovalRecord {
  /** Random, and new for each time a person is asked: an old page decides nothing new. */
  readonly id: string;
  /** `spent` is an approval that was used, or a request that a grant has answered. */
  readonly state: 'pending' | 'approved' | 'denied' | 'spent';
  readonly expiresAt: number;
  readonly decision?: Decision;
}

export interface Decision {
  readonly by: string;
  /** When, by the wall clock. */
  readonly atMs: number;
  readonly how: DecisionKind;
  /** Of a denial; the model reads it. */
  readonly reason?: string;
}

export const GRANT_MS = { '15m': 15 * 60_000, '1h': 3_600_000 } as const;
export type DecisionKind = 'once' | 'denied' | keyof typeof GRANT_MS;

/** One per user, by user and incarnation: what waits for them, and what they have granted. */
export interface UserApprovals {
  readonly entries: readonly Entry[];
  readonly grants: readonly Grant[];
}

/** Any query and body of one method and exact path, for the same client and definition of the target. */
export interface Scope {
  readonly client: string;
  readonly target: string;
  readonly targetHash: string;
  readonly method: string;
  /** The URL without its query. */
  readonly place: string;
}

/** A request that was asked for and has not expired. */
export interface Entry extends Scope {
  readonly id: string;
  readonly fingerprint: string;
  readonly bytes: number;
  readonly expiresAt: number;
  readonly ttlMs: number;
  /** When, by the wall clock. */
  readonly askedAtMs: number;
}

export interface Grant extends Scope {
  readonly id: string;
  readonly expiresAt: number;
  readonly decision: Decision;
}

/** The request as it would be sent, with `[REDACTED]` for each secret. By the id of its entry. */
export interface ShownRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: { readonly text: string } | { readonly base64: string } | undefined;
  /** The kind of signature that is added. */
  readonly signed: string | undefined;
}
