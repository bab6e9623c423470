/**
 * The decisions of a person: they see the requests that wait for approval, decide each once, and revoke
 * what they have granted. Only a browser session of that person reaches this: see `pages.ts`.
 */
import type { Log } from '../../core/log/log.ts';
import type { ApprovalStore } from './approval-store.ts';
import {
  type Decision,
  type DecisionKind,
  type Entry,
  GRANT_MS,
  type Grant,
  type ShownRequest,
} from './records.ts';
import type { Person } from './user-approvals.ts';

const ID_FORM = /^[A-Za-z0-9_-]{24}$/;
const STATE_AFTER = { once: 'approved', denied: 'denied', '15m': 'spent', '1h': 'spent' } as const;

export class Decisions {
  readonly #kept: ApprovalStore;
  readonly #log: Log;

  constructor(kept: ApprovalStore, log: Log) {
    this.#kept = kept;
    this.#log = log;
  }

  /** What waits for a person, oldest first. */
  async pendingOf(person: Person): Promise<readonly Entry[]> {
    const { entries } = await this.#kept.users.of(person);
    const records = await Promise.all(entries.map((entry) => this.#kept.live(entry.fingerprint)));
    return entries.filter(({ id }, index) => {
      const record = records[index]?.value;
      return record?.id === id && record.state === 'pending';
    });
  }

  async grantsOf(person: Person): Promise<readonly Grant[]> {
    return (await this.#kept.users.of(person)).grants;
  }

  async revoke(person: Person, grantId: string): Promise<boolean> {
    const isRevoked = await this.#kept.users.revoke(person, grantId);
    if (isRevoked) {
      const fields = { user: person.user, approval_id: grantId, decision: 'revoked' };
      this.#log.info('approval_decided', fields);
    }
    return isRevoked;
  }

  /** One that waits for this person, with the request; for anybody else there is none. */
  async find(
    person: Person,
    id: string,
  ): Promise<{ readonly entry: Entry; readonly request: ShownRequest } | undefined> {
    const entry = await this.#entryOf(person, id);
    const record = entry && (await this.#kept.live(entry.fingerprint));
    if (record?.value.id !== id || record.value.state !== 'pending') return undefined;
    const request = (await this.#kept.requests.get(id))?.value;
    return entry && request && { entry, request };
  }

  /** False when it is not pending any more: it has expired, or another decision came first. */
  async decide(
    person: Person,
    id: string,
    how: DecisionKind,
    reason: string | undefined,
  ): Promise<boolean> {
    const { now } = this.#kept;
    const entry = await this.#entryOf(person, id);
    const held = entry && (await this.#kept.live(entry.fingerprint));
    if (!entry || held?.value.id !== id || held.value.state !== 'pending') return false;
    const decision: Decision = {
      ...{ by: person.user, atMs: Date.now(), how },
      ...(how === 'denied' && reason !== undefined && { reason }),
    };
    const { ttlMs, fingerprint } = entry;
    const next = { id, state: STATE_AFTER[how], decision, expiresAt: now() + ttlMs };
    if (!(await this.#kept.records.replace(fingerprint, held.current, next, ttlMs))) return false;
    await this.#kept.requests.delete(id);
    if (how === 'once' || how === 'denied') {
      await this.#kept.users.update(person, id, { bytes: 0, expiresAt: next.expiresAt });
    } else {
      const { client, target, targetHash: hash, method, place } = entry;
      const scope = { client, target, targetHash: hash, method, place };
      await this.#kept.users.grant(person, {
        ...{ id, ...scope, decision },
        expiresAt: now() + GRANT_MS[how],
      });
      // Other calls that wait for the same method and path continue, too.
      for (const other of (await this.#kept.users.of(person)).entries) {
        const isSame = other.client === client && other.method === method && other.place === place;
        if (isSame) this.#kept.heard.tell(other.id);
      }
    }
    this.#kept.heard.tell(id);
    this.#log.info('approval_decided', {
      ...{ user: person.user, approval_id: id, target: entry.target, decision: how },
      ...(reason !== undefined && { reason }),
    });
    return true;
  }

  async #entryOf(person: Person, id: string): Promise<Entry | undefined> {
    if (!ID_FORM.test(id)) return undefined;
    return (await this.#kept.users.of(person)).entries.find((entry) => entry.id === id);
  }
}
