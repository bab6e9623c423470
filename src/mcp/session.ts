/**
 * Sessions of the legacy protocol.
 *
 * Guarantees: a session belongs to a user, not to a token, so a refreshed token keeps it; to
 * anybody else it does not exist. It ends after an hour without use, unless a stream is open.
 * Their number is limited: a user who opens too many loses expired ones first, then the least recently
 * used, those with an open stream last. No user evicts the session of another.
 */
import { randomBytes } from 'node:crypto';
import type { Caller } from '../core/http/caller.ts';
import { type Ability, NO_ABILITIES } from './elicitation/abilities.ts';
import type { ClientAnswer } from './elicitation/peer.ts';
import type { Cancellable } from './exchange.ts';
import { isObject, type Message, type RequestId } from './jsonrpc.ts';
import { Subscriptions } from './subscriptions.ts';

export interface Session {
  readonly id: string;
  readonly user: string;
  /** What its client can be asked for. */
  readonly abilities: readonly Ability[];
  readonly running: Map<RequestId, Cancellable>;
  /** Requests to the client that it has not answered yet. */
  readonly asked: Map<RequestId, (answer: ClientAnswer | undefined) => void>;
  /** Open streams of this session; messages go to the newest. */
  readonly streams: SessionStream[];
  readonly subscriptions: Subscriptions;
  lastUsedMs: number;
}

export interface SessionStream {
  /** Sends a serialised message, if the token that opened the stream is still good. */
  send(json: string): void;
  end(): void;
}

export interface SessionLimits {
  readonly idleMs: number;
  readonly perUser: number;
  readonly total: number;
}

/** Values or promises: without a shared store, no call waits. */
export interface SessionKeeper {
  open(caller: Caller, abilities?: readonly Ability[]): Session | Promise<Session>;
  /** The caller's session of this id, which thereby counts as used. */
  use(id: string, caller: Caller): Session | undefined | Promise<Session | undefined>;
  /** Whether a session with an open stream has not ended elsewhere; it counts as used. */
  keep(session: Session): boolean | Promise<boolean>;
  end(session: Session): void | Promise<void>;
  endUser(user: string): void;
  cancel(session: Session, id: RequestId): void;
  /** The client's answer to a request of the server. */
  answer(session: Session, response: Message): void;
}

export class Sessions {
  readonly #limits: SessionLimits;
  readonly #now: () => number;
  readonly #byId = new Map<string, Session>();
  readonly #byUser = new Map<string, Set<Session>>();

  constructor(limits: SessionLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  open(
    user: string,
    abilities = NO_ABILITIES,
    id = randomBytes(24).toString('base64url'),
  ): Session {
    const own = this.#byUser.get(user) ?? new Set();
    for (const session of own) if (this.#isPastItsTime(session)) this.end(session);
    if (own.size >= this.#limits.perUser) this.end(leastInUse(own));
    if (this.#byId.size >= this.#limits.total) {
      this.end(leastInUse(own.size > 0 ? own : this.#largest()));
    }
    const session: Session = {
      id,
      user,
      abilities,
      running: new Map(),
      asked: new Map(),
      streams: [],
      subscriptions: new Subscriptions(),
      lastUsedMs: this.#now(),
    };
    this.#byId.set(session.id, session);
    this.#byUser.set(user, own.add(session));
    return session;
  }

  find(id: string): Session | undefined {
    return this.#byId.get(id);
  }

  /** The user's session of this id, which thereby counts as used. */
  use(id: string, user: string): Session | undefined {
    const session = this.#byId.get(id);
    if (session === undefined || session.user !== user) return undefined;
    if (this.#isPastItsTime(session)) {
      this.end(session);
      return undefined;
    }
    session.lastUsedMs = this.#now();
    return session;
  }

  /** Forgets the session and closes its streams; its running calls finish. */
  end(session: Session): void {
    this.#byId.delete(session.id);
    const own = this.#byUser.get(session.user);
    own?.delete(session);
    if (own?.size === 0) this.#byUser.delete(session.user);
    session.subscriptions.end();
    for (const stream of session.streams.splice(0)) stream.end();
  }

  endUser(user: string): void {
    for (const session of this.ofUser(user)) this.end(session);
  }

  ofUser(user: string): readonly Session[] {
    return [...(this.#byUser.get(user) ?? [])];
  }

  #isPastItsTime({ streams, lastUsedMs }: Session): boolean {
    return streams.length === 0 && this.#now() - lastUsedMs > this.#limits.idleMs;
  }

  #largest(): ReadonlySet<Session> {
    let largest: ReadonlySet<Session> = new Set();
    for (const own of this.#byUser.values()) if (own.size > largest.size) largest = own;
    return largest;
  }
}

/** The sessions of a process that shares none with others. */
export function localSessions(limits: SessionLimits, now: () => number): SessionKeeper {
  const sessions = new Sessions(limits, now);
  return {
    open: ({ user }, abilities) => sessions.open(user, abilities),
    use: (id, { user }) => sessions.use(id, user),
    keep: () => true,
    end: (session) => sessions.end(session),
    endUser: (user) => {
      for (const session of sessions.ofUser(user)) sessions.end(session);
    },
    cancel: ({ running }, id) => running.get(id)?.cancel(),
    answer: (session, response) => void answerLocally(session, response),
  };
}

/** False where the request came from another replica, or from none. */
export function answerLocally({ asked }: Session, { id, result }: Message): boolean {
  const resolve = asked.get(id as RequestId);
  asked.delete(id as RequestId);
  resolve?.(isObject(result) ? result : undefined);
  return resolve !== undefined;
}

/** The least recently used; those with an open stream last. */
function leastInUse(sessions: ReadonlySet<Session>): Session {
  const quiet = [...sessions].filter(({ streams }) => streams.length === 0);
  const candidates = quiet.length > 0 ? quiet : [...sessions];
  return candidates.reduce((oldest, other) =>
    other.lastUsedMs < oldest.lastUsedMs ? other : oldest,
  );
}
