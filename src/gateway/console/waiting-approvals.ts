/** What the console shows of requests that wait for the decision of their user. */
import type { Session } from '../../console/browser-session.ts';

export interface WaitingApproval {
  /** The page on which it is decided. */
  readonly href: string;
  readonly atMs: number;
  readonly expiresAtMs: number;
  readonly target: string;
  readonly method: string;
  readonly url: string;
  /** The client or the key that asks. */
  readonly from: string;
}

export interface WaitingApprovals {
  /** Of this user, the oldest first. */
  of(session: Session): Promise<readonly WaitingApproval[]>;
}
