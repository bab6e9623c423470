/**
 * Sessions of the legacy protocol that any replica serves. The store lists them; each replica has the
 * calls and the streams that it serves itself.
 *
 * Guarantees: a session that ends on one replica ends on all, at once by a published message, or else
 * within a minute. Use writes to the store at most once a minute. A call is cancelled on whichever
 * replica it runs. A session belongs to one incarnation of its user.
 */
import type { Caller } from '../core/http/caller.ts';
import type { SharedStore } from '../core/store/shared-store.ts';
import { type Ability, NO_ABILITIES } from './elicitation/abilities.ts';
import type { Message, RequestId } from './jsonrpc.ts';
import {
  answerLocally,
  type Session,
  type SessionKeeper,
  type SessionLimits,
  Sessions,
} from './session.ts';

const SESSIONS = 'mcp-sessions';
const CANCELLED = 'mcp-cancelled';
const ANSWERED = 'mcp-answered';
/** Of an answer for another replica; a longer one counts as none. */
const MAX_ANSWER = 64 * 1024;
/** A use is written after this part of the idle time. */
const TOUCHED_PART = 60;

interface SessionRecord {
  readonly user: string;
  readonly incarnation: string;
  /** Absent in a record of an earlier version. */
  readonly abilities?: readonly Ability[];
}

interface Known {
  readonly record: SessionRecord;
  readonly session: Session;
  touchedMs: number;
}

export class SharedSessions implements SessionKeeper {
  readonly #store: SharedStore;
  readonly #limits: SessionLimits;
  readonly #now: () => number;
  readonly #touchAfterMs: number;
  readonly #local: Sessions;
  readonly #known = new WeakMap<Session, Known>();

  constructor(store: SharedStore, limits: SessionLimits, now: () => number) {
    this.#store = store;
    this.#limits = limits;
    this.#now = now;
    this.#touchAfterMs = limits.idleMs / TOUCHED_PART;
    this.#local = new Sessions(limits, now);
    store.onDeleted(SESSIONS, (id) => this.#endLocally(id));
    store.onPublished(ANSWERED, ([id, response]) => {
      const session = this.#local.find(id!);
      if (session) answerLocally(session, JSON.parse(response!));
    });
    store.onPublished(CANCELLED, ([id, request]) => {
      this.#local.find(id!)?.running.get(JSON.parse(request!))?.cancel();
    });
  }

  async open(
    { user, incarnation }: Caller,
    abilities: readonly Ability[] = NO_ABILITIES,
  ): Promise<Session> {
    const session = this.#local.open(user, abilities);
    const record = { user, incarnation, abilities };
    this.#known.set(session, { record, session, touchedMs: this.#now() });
    await this.#store.put(SESSIONS, session.id, record, this.#lifetime(user));
    return session;
  }

  use(id: string, caller: Caller): Session | undefined | Promise<Session | undefined> {
    const session = this.#local.use(id, caller.user);
    const known = session && this.#known.get(session);
    if (!known) return this.#find(id, caller);
    if (known.record.incarnation !== caller.incarnation) return undefined;
    const isKept = this.keep(known.session);
    if (typeof isKept === 'boolean') return isKept ? known.session : undefined;
    return isKept.then((kept) => (kept ? known.session : undefined));
  }

  keep(session: Session): boolean | Promise<boolean> {
    const known = this.#known.get(session);
    if (!known) return false;
    if (this.#now() - known.touchedMs < this.#touchAfterMs) return true;
    return this.#touch(known);
  }

  async end(session: Session): Promise<void> {
    this.#local.end(session);
    await this.#store.delete(SESSIONS, session.id);
  }

  /** The records of sessions of other replicas stay: they name an incarnation that has ended. */
  endUser(user: string): void {
    for (const session of this.#local.ofUser(user)) this.end(session).catch(() => {});
  }

  cancel({ id, running }: Session, request: RequestId): void {
    const call = running.get(request);
    if (call) call.cancel();
    else this.#store.publish(CANCELLED, [id, JSON.stringify(request)]);
  }

  answer(session: Session, response: Message): void {
    if (answerLocally(session, response)) return;
    const { id, result } = response;
    const whole = JSON.stringify({ id, result });
    const text = whole.length > MAX_ANSWER ? JSON.stringify({ id }) : whole;
    this.#store.publish(ANSWERED, [session.id, text]);
  }

  async #find(id: string, { user, incarnation }: Caller): Promise<Session | undefined> {
    const record = await this.#store.get<SessionRecord>(SESSIONS, id);
    if (!record || record.user !== user || record.incarnation !== incarnation) return undefined;
    const session = this.#local.find(id) ?? this.#local.open(user, record.abilities, id);
    const known = { record, session, touchedMs: Number.NEGATIVE_INFINITY };
    this.#known.set(session, known);
    return (await this.#touch(known)) ? session : undefined;
  }

  /** Prolongs the record; a session that has ended is not recreated. */
  async #touch(known: Known): Promise<boolean> {
    const { record, session } = known;
    const lifetime = this.#lifetime(record.user);
    const now = this.#now();
    const isThere = await this.#store.replace(SESSIONS, session.id, record, record, lifetime);
    if (isThere) known.touchedMs = now;
    else this.#local.end(session);
    return isThere;
  }

  #endLocally(id: string): void {
    const session = this.#local.find(id);
    if (session) this.#local.end(session);
  }

  #lifetime(source: string) {
    const { idleMs, perUser: maxOfSource } = this.#limits;
    // The last write may be older than the last use by so much.
    const ttlMs = idleMs + this.#touchAfterMs;
    return { ttlMs, evictable: true, source, maxOfSource } as const;
  }
}
