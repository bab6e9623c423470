/**
 * The last tool calls of each sign-in and of each key of the HTTP door, in memory, for tripwires and for
 * the console.
 *
 * Calls are limited per user and in total, and texts are cut. Over a limit, the client or user with most
 * calls loses its oldest, so that a busy one does not evict the calls of others. Bodies, queries and
 * headers are never kept.
 */
import type { CallingUser } from '../http/caller.ts';

const MAX_CALLS_PER_USER = 1_000;
const MAX_CALLS = 20_000;
const MAX_PLACE = 300;
const MAX_SHORT = 64;

/** Who made a call: a sign-in, or a key of the HTTP door by its name. */
export type CallOrigin =
  | { readonly signInId: string; readonly clientId: string; readonly key?: undefined }
  | { readonly key: string; readonly signInId?: undefined; readonly clientId?: undefined };

interface CallMade {
  /** When it ended, in milliseconds since 1970. */
  readonly atMs: number;
  /** The tool; of a call through the HTTP door, `http_request`. */
  readonly tool: string;
  /** The target in the gateway, the vault in notes; undefined where none was matched. */
  readonly target?: string | undefined;
  /** In the gateway. */
  readonly method?: string | undefined;
  /** Host and path in the gateway, without the query; the path of a note in notes. */
  readonly place?: string | undefined;
  /** Of the upstream, or of the refusal. */
  readonly status?: number | undefined;
  /** The code of the refusal. */
  readonly refusal?: string | undefined;
  readonly durationMs: number;
  readonly bytes: number;
}

export type RecentCall = CallMade & {
  /** Counts up in this process. */
  readonly id: number;
  readonly origin: CallOrigin;
};

interface CallsOfUser {
  count: number;
  /** By sign-in or key, oldest first. */
  readonly byOrigin: Map<string, RecentCall[]>;
}

interface RecentCallsLimits {
  readonly perUser: number;
  readonly total: number;
}

export class RecentCalls {
  readonly #limits: RecentCallsLimits;
  readonly #users = new Map<string, CallsOfUser>();
  #count = 0;
  #lastId = 0;

  constructor(limits: RecentCallsLimits = { perUser: MAX_CALLS_PER_USER, total: MAX_CALLS }) {
    this.#limits = limits;
  }

  /** How many calls are held in all. */
  get size(): number {
    return this.#count;
  }

  /** The texts must be redacted already. */
  add(user: CallingUser, origin: CallOrigin, call: CallMade): void {
    const own = this.#ofUser(user);
    const name = nameOf(origin);
    const calls = own.byOrigin.get(name) ?? [];
    if (calls.length === 0) own.byOrigin.set(name, calls);
    // No spread: V8 adds each property after one by a slow runtime call.
    calls.push({
      atMs: call.atMs,
      tool: cut(call.tool, MAX_SHORT)!,
      target: cut(call.target, MAX_PLACE),
      method: cut(call.method, MAX_SHORT),
      place: call.place === undefined ? undefined : copy(call.place.slice(0, MAX_PLACE)),
      status: call.status,
      refusal: cut(call.refusal, MAX_SHORT),
      durationMs: call.durationMs,
      bytes: call.bytes,
      id: ++this.#lastId,
      origin,
    });
    own.count++;
    this.#count++;
    if (own.count > this.#limits.perUser) this.#dropOldest(keyOf(user));
    if (this.#count > this.#limits.total) this.#dropOldest(this.#largest());
  }

  /** Newest first. */
  ofUser(user: CallingUser): readonly RecentCall[] {
    const all = [...(this.#users.get(keyOf(user))?.byOrigin.values() ?? [])].flat();
    return all.sort((one, other) => other.id - one.id);
  }

  /** The last calls of one sign-in or key, oldest first. */
  lastOf(user: CallingUser, origin: CallOrigin, count: number): readonly RecentCall[] {
    return this.#users.get(keyOf(user))?.byOrigin.get(nameOf(origin))?.slice(-count) ?? [];
  }

  #ofUser(user: CallingUser): CallsOfUser {
    const key = keyOf(user);
    const own = this.#users.get(key) ?? { count: 0, byOrigin: new Map() };
    if (own.count === 0) this.#users.set(key, own);
    return own;
  }

  #dropOldest(user: string): void {
    const own = this.#users.get(user)!;
    let [name, calls]: [string, RecentCall[]] = ['', []];
    for (const entry of own.byOrigin) if (entry[1].length > calls.length) [name, calls] = entry;
    calls.shift();
    if (calls.length === 0) own.byOrigin.delete(name);
    own.count--;
    this.#count--;
    if (own.count === 0) this.#users.delete(user);
  }

  #largest(): string {
    let [largest, most] = ['', 0];
    for (const [user, { count }] of this.#users) if (count > most) [largest, most] = [user, count];
    return largest;
  }
}

/** A user who is removed and added again is another one. */
function keyOf({ user, incarnation }: CallingUser): string {
  return `${user} ${incarnation}`;
}

/** No sign-in has an id with a colon. */
function nameOf({ signInId, key }: CallOrigin): string {
  return signInId ?? `key:${key}`;
}

function cut(text: string | undefined, max: number): string | undefined {
  return text === undefined || text.length <= max ? text : copy(text.slice(0, max));
}

/** A copy: V8 keeps a whole long string in memory for a slice of it. */
function copy(text: string): string {
  return Buffer.from(text).toString();
}
