/**
 * Tripwires: things that no honest task needs, put where a model can find them. The attack they tell of:
 * prompt injection, by which a model is talked into looking for secrets with the access it was given.
 *
 * A hit is logged with the last calls of the same sign-in or key. With `freeze`, that sign-in or
 * that key, and nothing else, ends.
 */
import type { Caller } from '../http/caller.ts';
import { describeError, type Fields, type Log } from '../log/log.ts';
import type { CallOrigin, RecentCall, RecentCalls } from './recent-calls.ts';

export const ON_TRIPWIRE = ['log', 'freeze'] as const;
export type OnTripwire = (typeof ON_TRIPWIRE)[number];

type User = Pick<Caller, 'user' | 'incarnation'>;

export interface TripwiresOptions {
  readonly log: Log;
  readonly recent: RecentCalls;
  /** Asked at every hit, so that a reload applies at once. */
  readonly onTripwire: () => OnTripwire;
  /** Ends the sign-in or the key. False where it had ended already. */
  readonly freeze: (user: User, origin: CallOrigin) => Promise<boolean>;
}

const CALLS_TOLD = 20;
/** A model that hits again and again writes its former calls once in this time. */
const CALLS_TOLD_EVERY_MS = 60_000;
const MAX_ORIGINS = 1_000;

export class Tripwires {
  readonly #options: TripwiresOptions;
  readonly #toldAtMs = new Map<string, number>();

  constructor(options: TripwiresOptions) {
    this.#options = options;
  }

  /** Resolves when whatever is to end has ended. Never rejects. */
  async hit(user: User, origin: CallOrigin, what: Fields): Promise<void> {
    const { log, onTripwire, freeze } = this.#options;
    let action: string = onTripwire();
    if (action === 'freeze') {
      try {
        action = (await freeze(user, origin)) ? 'frozen' : 'frozen before';
      } catch (error) {
        action = 'freezing failed';
        log.error('internal_error', { message: describeError(error) });
      }
    }
    const calls = this.#lastCalls(user, origin);
    log.always('warn', 'tripwire_hit', {
      user: user.user,
      client_id: origin.clientId ?? null,
      ...(origin.key !== undefined && { key: origin.key }),
      ...what,
      action,
      ...(calls && { calls }),
    });
  }

  #lastCalls(user: User, origin: CallOrigin): readonly object[] | undefined {
    const name = `${user.user} ${user.incarnation} ${origin.signInId ?? `key:${origin.key}`}`;
    const nowMs = performance.now();
    if (nowMs - (this.#toldAtMs.get(name) ?? Number.NEGATIVE_INFINITY) < CALLS_TOLD_EVERY_MS) {
      return undefined;
    }
    if (this.#toldAtMs.size >= MAX_ORIGINS) this.#toldAtMs.clear();
    this.#toldAtMs.set(name, nowMs);
    return this.#options.recent.lastOf(user, origin, CALLS_TOLD).map(shown);
  }
}

function shown({ atMs, tool, target, method, place, status, refusal }: RecentCall): object {
  return { at: new Date(atMs).toISOString(), tool, target, method, place, status, refusal };
}
