/** The two sides of approvals, over one store: calls ask, people decide. */
import { ApprovalStore, type ApprovalsOptions } from './approval-store.ts';
import { Approvals } from './approvals.ts';
import { Decisions } from './decisions.ts';

export function openApprovals(options: ApprovalsOptions): {
  readonly approvals: Approvals;
  readonly decisions: Decisions;
} {
  const kept = new ApprovalStore(options);
  return { approvals: new Approvals(options, kept), decisions: new Decisions(kept, options.log) };
}
