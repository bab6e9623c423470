/**
 * Approvals: which exact requests a person has let through, and which wait for a decision.
 *
 * Guarantees: an approval is bound to one exact request (see `fingerprint.ts`) and serves once, over
 * all replicas; of two decisions one counts; the model can neither decide nor read a request that
 * waits. A decision needs the user's own browser session: see `routes.ts`.
 */
import { type KeyObject, randomBytes } from 'node:crypto';
import type { Log } from '../../core/log/log.ts';
import { keyFor } from '../../core/secrets/derive-key.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import type { SharedStore } from '../../core/store/shared-store.ts';
import type { Store } from '../../core/store/store.ts';
import type { Target } from '../config/config.ts';
import { Refusal } from '../request/refusal.ts';
import type { ModelRequest } from '../request/request.ts';
import { formatUrl } from '../request/request-url.ts';
import { DecisionsHeard } from './decisions-heard.ts';
import { type Asker, fingerprintOf, targetHash } from './fingerprint.ts';
import type { Announce } from './notify.ts';
import {
  type ApprovalRecord,
  type Decision,
  type DecisionKind,
  type Entry,
  GRANT_MS,
  type Grant,
  type ShownRequest,
} from './records.ts';
import { type Held, SealedRecords } from './sealed-records.ts';
import { ApprovalsOfUsers, type Person } from './user-approvals.ts';

const ID_BYTES = 18;
const ID_FORM = /^[A-Za-z0-9_-]{24}$/;
const MAX_ATTEMPTS = 20;
const BUSY_MS = 1_000;
const MAX_WAITING_OF_USER = 32;
const STATE_AFTER = { once: 'approved', denied: 'denied', '15m': 'spent', '1h': 'spent' } as const;
/** The body is at most 1 MiB; this is for the rest of the request. */
const MAX_REQUEST_BYTES = 1024 * 1024 + 64 * 1024;

export interface ApprovalAsk {
  readonly asker: Asker;
  readonly target: Target;
  readonly request: ModelRequest;
  /** Only called when a person is asked. */
  readonly show: () => ShownRequest;
}

export type Judgement =
  | { readonly kind: 'approved'; readonly approval: Approval }
  | { readonly kind: 'denied'; readonly id: string; readonly reason: string | undefined }
  | {
      readonly kind: 'pending';
      readonly id: string;
      readonly url: string;
      readonly leftMs: number;
    };

/** An approval that this call has used. */
export interface Approval {
  readonly id: string;
  readonly decision: Decision;
  /** The call has sent nothing: the approval serves for the next one. */
  giveBack(): Promise<void>;
}

/** What the pipeline needs of it. */
export interface ApprovalGate {
  judge(ask: ApprovalAsk): Promise<Judgement>;
  /** Resolves when the decision may have been made, on any replica. */
  decided(id: string, signal: AbortSignal): Promise<void>;
  /** False when so many calls of the user wait already. Each is to end its wait. */
  beginWait(user: string): boolean;
  endWait(user: string): void;
}

export interface ApprovalsOptions {
  readonly store: Store;
  readonly shared: SharedStore | undefined;
  /** Replicas that share a store share this key. */
  readonly sealKey: Secret | undefined;
  readonly publicUrl: string;
  readonly log: Log;
  readonly now: () => number;
  readonly wallNow?: () => number;
  readonly announce?: Announce;
}

export class Approvals implements ApprovalGate {
  readonly #options: ApprovalsOptions;
  readonly #fingerprintKey: KeyObject;
  readonly #records: SealedRecords<ApprovalRecord>;
  readonly #requests: SealedRecords<ShownRequest>;
  readonly #users: ApprovalsOfUsers;
  readonly #heard: DecisionsHeard;
  readonly #waiting = new Map<string, number>();

  constructor(options: ApprovalsOptions) {
    const { store, sealKey, now, shared } = options;
    const key = keyFor('approval records', sealKey);
    this.#options = options;
    this.#fingerprintKey = keyFor('approval fingerprints', sealKey);
    this.#records = new SealedRecords(store, key, 'approvals');
    this.#requests = new SealedRecords(store, key, 'approval-requests');
    this.#users = new ApprovalsOfUsers(store, key, now);
    this.#heard = new DecisionsHeard(shared);
  }

  async judge(ask: ApprovalAsk): Promise<Judgement> {
    const { asker, target, request } = ask;
    const fingerprint = fingerprintOf(asker, target, request, this.#fingerprintKey);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const stored = await this.#records.get(fingerprint);
      const held = this.#live(stored);
      if (held?.value.state === 'pending') return this.#pending(held.value);
      if (held?.value.state === 'approved') {
        const approval = await this.#use(asker, fingerprint, held);
        if (approval) return { kind: 'approved', approval };
        continue;
      }
      const grant = await this.#grantFor(ask);
      if (grant) {
        const { id, decision } = grant;
        return { kind: 'approved', approval: { id, decision, giveBack: async () => {} } };
      }
      if (held?.value.state === 'denied') {
        const { id, decision } = held.value;
        return { kind: 'denied', id, reason: decision?.reason };
      }
      const pending = await this.#ask(ask, fingerprint, stored?.current);
      if (pending) return this.#pending(pending);
    }
    throw new Refusal('rate_limited', 'too many requests wait for approval; try again', {
      retryAfterMs: BUSY_MS,
    });
  }

  decided(id: string, signal: AbortSignal): Promise<void> {
    return this.#heard.next(id, signal);
  }

  beginWait(user: string): boolean {
    const count = this.#waiting.get(user) ?? 0;
    if (count >= MAX_WAITING_OF_USER) return false;
    this.#waiting.set(user, count + 1);
    return true;
  }

  endWait(user: string): void {
    const left = this.#waiting.get(user)! - 1;
    if (left > 0) this.#waiting.set(user, left);
    else this.#waiting.delete(user);
  }

  /** What waits for a person, oldest first. */
  async pendingOf(person: Person): Promise<readonly Entry[]> {
    const { entries } = await this.#users.of(person);
    const records = await Promise.all(
      entries.map(async (entry) => this.#live(await this.#records.get(entry.fingerprint))),
    );
    return entries.filter(({ id }, index) => {
      const record = records[index]?.value;
      return record?.id === id && record.state === 'pending';
    });
  }

  async grantsOf(person: Person): Promise<readonly Grant[]> {
    return (await this.#users.of(person)).grants;
  }

  async revoke(person: Person, grantId: string): Promise<boolean> {
    const isRevoked = await this.#users.revoke(person, grantId);
    if (isRevoked) {
      const fields = { user: person.user, approval_id: grantId, decision: 'revoked' };
      this.#options.log.info('approval_decided', fields);
    }
    return isRevoked;
  }

  /** One that waits for this person, with the request; for anybody else there is none. */
  async find(
    person: Person,
    id: string,
  ): Promise<{ readonly entry: Entry; readonly request: ShownRequest } | undefined> {
    const entry = await this.#entryOf(person, id);
    const record = entry && this.#live(await this.#records.get(entry.fingerprint));
    if (record?.value.id !== id || record.value.state !== 'pending') return undefined;
    const request = (await this.#requests.get(id))?.value;
    return entry && request && { entry, request };
  }

  /** False when it is not pending any more: it has expired, or another decision came first. */
  async decide(
    person: Person,
    id: string,
    how: DecisionKind,
    reason: string | undefined,
  ): Promise<boolean> {
    const { now, wallNow = Date.now, log } = this.#options;
    const entry = await this.#entryOf(person, id);
    const held = entry && this.#live(await this.#records.get(entry.fingerprint));
    if (!entry || held?.value.id !== id || held.value.state !== 'pending') return false;
    const decision: Decision = {
      ...{ by: person.user, atMs: wallNow(), how },
      ...(how === 'denied' && reason !== undefined && { reason }),
    };
    const { ttlMs, fingerprint } = entry;
    const next = { id, state: STATE_AFTER[how], decision, expiresAt: now() + ttlMs };
    if (!(await this.#records.replace(fingerprint, held.current, next, ttlMs))) return false;
    await this.#requests.delete(id);
    if (how === 'once' || how === 'denied') {
      await this.#users.update(person, id, { bytes: 0, expiresAt: next.expiresAt });
    } else {
      const { client, target, targetHash: hash, method, place } = entry;
      const scope = { client, target, targetHash: hash, method, place };
      await this.#users.grant(person, {
        ...{ id, ...scope, decision },
        expiresAt: now() + GRANT_MS[how],
      });
    }
    this.#heard.tell(id);
    log.info('approval_decided', {
      ...{ user: person.user, approval_id: id, target: entry.target, decision: how },
      ...(reason !== undefined && { reason }),
    });
    return true;
  }

  async #entryOf(person: Person, id: string): Promise<Entry | undefined> {
    if (!ID_FORM.test(id)) return undefined;
    return (await this.#users.of(person)).entries.find((entry) => entry.id === id);
  }

  /** One atomic step; undefined when another call was first. */
  async #use(
    person: Person,
    fingerprint: string,
    { value, current }: Held<ApprovalRecord>,
  ): Promise<Approval | undefined> {
    const { id, decision, expiresAt } = value;
    const left = () => expiresAt - this.#options.now();
    const spent = { id, state: 'spent', expiresAt, use: randomId() } as const;
    const held = await this.#records.replace(fingerprint, current, spent, left());
    if (!held || !decision) return undefined;
    await this.#users.update(person, id, undefined);
    const giveBack = async () => {
      if (left() > 0) await this.#records.replace(fingerprint, held, value, left());
    };
    return { id, decision, giveBack };
  }

  async #grantFor({ asker, target, request }: ApprovalAsk): Promise<Grant | undefined> {
    const { grants } = await this.#users.of(asker);
    const place = placeOf(request);
    return grants.find(
      (grant) =>
        grant.client === asker.client &&
        grant.targetHash === targetHash(target) &&
        grant.method === request.method &&
        grant.place === place,
    );
  }

  /** Undefined when another call was first. */
  async #ask(
    { asker, target, request, show }: ApprovalAsk,
    fingerprint: string,
    former: object | undefined,
  ): Promise<ApprovalRecord | undefined> {
    const { now, wallNow = Date.now, log, announce } = this.#options;
    const { ttlMs } = target.approve!;
    const shown = show();
    const id = randomId();
    const bytes = Buffer.byteLength(JSON.stringify([shown.url, shown.headers])) + bodyBytes(shown);
    if (bytes > MAX_REQUEST_BYTES) {
      throw new Refusal('request_too_large', 'a request that needs approval has at most 1 MiB');
    }
    const [expiresAt, place] = [now() + ttlMs, placeOf(request)];
    await this.#users.add(asker, {
      ...{ id, fingerprint, bytes, expiresAt, ttlMs, askedAtMs: wallNow(), place },
      ...{ client: asker.client, target: target.id, targetHash: targetHash(target) },
      method: request.method,
    });
    const record: ApprovalRecord = { id, state: 'pending', expiresAt };
    const isKept =
      (await this.#requests.replace(id, undefined, shown, ttlMs)) &&
      (await this.#records.replace(fingerprint, former, record, ttlMs));
    if (!isKept) {
      await this.#users.update(asker, id, undefined);
      await this.#requests.delete(id);
      return undefined;
    }
    const about = { target: target.id, method: request.method };
    log.info('approval_requested', { user: asker.user, approval_id: id, ...about, url: place });
    announce?.({ ...about, place, url: this.#urlOf(id) });
    return record;
  }

  #pending({ id, expiresAt }: ApprovalRecord): Judgement {
    return { kind: 'pending', id, url: this.#urlOf(id), leftMs: expiresAt - this.#options.now() };
  }

  #urlOf(id: string): string {
    return `${this.#options.publicUrl}/approvals/${id}`;
  }

  #live(held: Held<ApprovalRecord | undefined> | undefined): Held<ApprovalRecord> | undefined {
    const { value, current } = held ?? {};
    return current && value && value.expiresAt > this.#options.now()
      ? { value, current }
      : undefined;
  }
}

/** The URL without its query. */
function placeOf({ url }: ModelRequest): string {
  return formatUrl(url, '');
}

function bodyBytes({ body }: ShownRequest): number {
  if (!body) return 0;
  return 'text' in body ? Buffer.byteLength(body.text) : (body.base64.length * 3) / 4;
}

function randomId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}
