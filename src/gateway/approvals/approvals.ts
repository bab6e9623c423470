/**
 * Approvals: the exact requests that a person has approved, and those that wait for a decision.
 *
 * Guarantees: an approval is bound to one exact request (see `fingerprint.ts`) and serves once, over
 * all replicas; of two decisions one counts; the model can neither decide nor read a request that
 * waits. A decision needs the browser session of the user: see `decisions.ts`.
 */
import { type KeyObject, randomBytes } from 'node:crypto';
import { keyFor } from '../../core/secrets/derive-key.ts';
import type { Target } from '../config/config.ts';
import { Refusal } from '../request/refusal.ts';
import type { ModelRequest } from '../request/request.ts';
import { formatUrl } from '../request/request-url.ts';
import { ApprovalStore, type ApprovalsOptions } from './approval-store.ts';
import { Decisions } from './decisions.ts';
import { type Asker, fingerprintOf, targetHash } from './fingerprint.ts';
import type { ApprovalRecord, Decision, Grant, ShownRequest } from './records.ts';
import type { Held } from './sealed-records.ts';
import type { Person } from './user-approvals.ts';

const ID_BYTES = 18;
const MAX_ATTEMPTS = 20;
const BUSY_MS = 1_000;
const MAX_WAITING_OF_USER = 32;
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
  /** For a call that has sent nothing: the approval then serves for the next one. */
  giveBack(): Promise<void>;
}

/** What the pipeline needs of it. */
export interface ApprovalGate {
  judge(ask: ApprovalAsk): Promise<Judgement>;
  /** Resolves when the decision may have been made, on any replica. */
  decided(id: string, signal: AbortSignal): Promise<void>;
  /** False if too many calls of the user wait already. After true, `endWait` must be called. */
  beginWait(user: string): boolean;
  endWait(user: string): void;
}

/** The two sides of approvals, over one store: calls ask, people decide. */
export function openApprovals(options: ApprovalsOptions) {
  const kept = new ApprovalStore(options);
  return { approvals: new Approvals(options, kept), decisions: new Decisions(kept, options.log) };
}

class Approvals implements ApprovalGate {
  readonly #options: ApprovalsOptions;
  readonly #fingerprintKey: KeyObject;
  readonly #kept: ApprovalStore;
  readonly #waiting = new Map<string, number>();

  constructor(options: ApprovalsOptions, kept: ApprovalStore) {
    this.#options = options;
    this.#kept = kept;
    this.#fingerprintKey = keyFor('approval fingerprints', options.sealKey);
  }

  async judge(ask: ApprovalAsk): Promise<Judgement> {
    const { asker, target, request } = ask;
    const fingerprint = fingerprintOf(asker, target, request, this.#fingerprintKey);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const stored = await this.#kept.records.get(fingerprint);
      const held = this.#kept.unexpired(stored);
      if (held?.value.state === 'approved') {
        const approval = await this.#use(asker, fingerprint, held);
        if (approval) return { kind: 'approved', approval };
        continue;
      }
      const grant = await this.#grantFor(ask);
      if (grant) {
        if (held?.value.state === 'pending') {
          await this.#spend(asker, fingerprint, held);
          await this.#kept.requests.delete(held.value.id);
        }
        const { id, decision } = grant;
        return { kind: 'approved', approval: { id, decision, giveBack: async () => {} } };
      }
      if (held?.value.state === 'pending') return this.#pending(held.value);
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
    return this.#kept.heard.next(id, signal);
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

  /** Undefined when another call was first. */
  async #use(
    person: Person,
    fingerprint: string,
    held: Held<ApprovalRecord>,
  ): Promise<Approval | undefined> {
    const { id, decision, expiresAt } = held.value;
    const spent = await this.#spend(person, fingerprint, held);
    if (!spent || !decision) return undefined;
    const giveBack = async () => {
      const leftMs = expiresAt - this.#kept.now();
      if (leftMs > 0) await this.#kept.records.replace(fingerprint, spent, held.value, leftMs);
    };
    return { id, decision, giveBack };
  }

  /** One atomic step: the record as it is then, or undefined when another call was first. */
  async #spend(
    person: Person,
    fingerprint: string,
    { value: { id, expiresAt }, current }: Held<ApprovalRecord>,
  ): Promise<object | undefined> {
    const leftMs = expiresAt - this.#kept.now();
    const next = { id, state: 'spent', expiresAt } as const;
    const spent = await this.#kept.records.replace(fingerprint, current, next, leftMs);
    if (spent) await this.#kept.users.update(person, id, undefined);
    return spent;
  }

  async #grantFor({ asker, target, request }: ApprovalAsk): Promise<Grant | undefined> {
    const { grants } = await this.#kept.users.of(asker);
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
    const { now } = this.#kept;
    const { log, announce } = this.#options;
    const { ttlMs } = target.approve!;
    const shown = show();
    const id = randomId();
    const bytes = Buffer.byteLength(JSON.stringify([shown.url, shown.headers])) + bodyBytes(shown);
    if (bytes > MAX_REQUEST_BYTES) {
      throw new Refusal('request_too_large', 'a request that needs approval has at most 1 MiB');
    }
    const [expiresAt, place] = [now() + ttlMs, placeOf(request)];
    await this.#kept.users.add(asker, {
      ...{ id, fingerprint, bytes, expiresAt, ttlMs, askedAtMs: Date.now(), place },
      ...{ client: asker.client, target: target.id, targetHash: targetHash(target) },
      method: request.method,
    });
    const record: ApprovalRecord = { id, state: 'pending', expiresAt };
    const isKept =
      (await this.#kept.requests.replace(id, undefined, shown, ttlMs)) &&
      (await this.#kept.records.replace(fingerprint, former, record, ttlMs));
    if (!isKept) {
      await this.#kept.users.update(asker, id, undefined);
      await this.#kept.requests.delete(id);
      return undefined;
    }
    const about = { target: target.id, method: request.method };
    log.info('approval_requested', { user: asker.user, approval_id: id, ...about, url: place });
    announce?.({ ...about, place, url: this.#urlOf(id) });
    return record;
  }

  #pending({ id, expiresAt }: ApprovalRecord): Judgement {
    return { kind: 'pending', id, url: this.#urlOf(id), leftMs: expiresAt - this.#kept.now() };
  }

  #urlOf(id: string): string {
    return `${this.#options.publicUrl}/approvals/${id}`;
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
