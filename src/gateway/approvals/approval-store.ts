/** Where approvals are kept, for the calls that need one and for the person who decides. */
import type { Log } from '../../core/log/log.ts';
import { keyFor } from '../../core/secrets/derive-key.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import type { SharedStore } from '../../core/store/shared-store.ts';
import type { Store } from '../../core/store/store.ts';
import { DecisionsHeard } from './decisions-heard.ts';
import type { Announce } from './notify.ts';
import type { ApprovalRecord, ShownRequest } from './records.ts';
import { type Held, SealedRecords } from './sealed-records.ts';
import { ApprovalsOfUsers } from './user-approvals.ts';

export interface ApprovalsOptions {
  readonly store: Store;
  readonly shared: SharedStore | undefined;
  /** Replicas that share a store share this key. */
  readonly sealKey: Secret | undefined;
  readonly publicUrl: string;
  readonly log: Log;
  /** For lifetimes. */
  readonly now: () => number;
  readonly announce?: Announce;
}

export class ApprovalStore {
  readonly now: () => number;
  /** By fingerprint. */
  readonly records: SealedRecords<ApprovalRecord>;
  /** By the id of the approval. */
  readonly requests: SealedRecords<ShownRequest>;
  readonly users: ApprovalsOfUsers;
  readonly heard: DecisionsHeard;

  constructor({ store, shared, sealKey, now }: ApprovalsOptions) {
    const key = keyFor('approval records', sealKey);
    this.now = now;
    this.records = new SealedRecords(store, key, 'approvals');
    this.requests = new SealedRecords(store, key, 'approval-requests');
    this.users = new ApprovalsOfUsers(store, key, now);
    this.heard = new DecisionsHeard(shared);
  }

  /** The record of this fingerprint, unless it has expired. */
  async live(fingerprint: string): Promise<Held<ApprovalRecord> | undefined> {
    return this.unexpired(await this.records.get(fingerprint));
  }

  unexpired(held: Held<ApprovalRecord | undefined> | undefined): Held<ApprovalRecord> | undefined {
    const { value, current } = held ?? {};
    return current && value && value.expiresAt > this.now() ? { value, current } : undefined;
  }
}
