/**
 * Tripwires: targets and notes that no honest task needs, where a model can find them. Detects prompt
 * injection, by which a model looks for secrets with the access that it was given.
 *
 * A hit is logged with the last calls of the same sign-in or key. With `freeze`, that sign-in or key ends.
 *
 * Prevents log flooding, by which a model could fill the disk or hide the first hit: one sign-in or key
 * writes at most `LINES_A_MINUTE` lines, and the next line has the number of hits without one.
 */
import type { CallingUser } from '../http/caller.ts';
import { describeError, type Fields, type Log } from '../log/log.ts';
import type { CallOrigin, RecentCall, RecentCalls } from './recent-calls.ts';

export const ON_TRIPWIRE = ['log', 'freeze'] as const;
export type OnTripwire = (typeof ON_TRIPWIRE)[number];

interface TripwiresOptions {
  readonly log: Log;
  readonly recent: RecentCalls;
  /** Called at every hit, so that a reload applies at once. */
  readonly onTripwire: () => OnTripwire;
  /** Ends the sign-in or the key. False where it had ended already. */
  readonly freeze: (user: CallingUser, origin: CallOrigin) => Promise<boolean>;
  /** Milliseconds of a steady clock. */
  readonly now?: () => number;
}

const CALLS_LOGGED = 20;
const LINES_A_MINUTE = 20;
const MINUTE_MS = 60_000;
const MAX_ORIGINS = 1_000;

/** The lines of one sign-in or key in the present minute. */
interface Minute {
  readonly beganAtMs: number;
  lines: number;
  notLogged: number;
}

export class Tripwires {
  readonly #options: TripwiresOptions;
  readonly #minutes = new Map<string, Minute>();

  constructor(options: TripwiresOptions) {
    this.#options = options;
  }

  /** Resolves when the sign-in or key has ended. Never rejects. */
  async hit(user: CallingUser, origin: CallOrigin, what: Fields): Promise<void> {
    const { log, recent } = this.#options;
    const action = await this.#act(user, origin);
    const { minute, notLoggedBefore } = this.#minuteOf(user, origin);
    if (minute.lines === LINES_A_MINUTE) {
      minute.notLogged++;
      return;
    }
    minute.lines++;
    log.always('warn', 'tripwire_hit', {
      user: user.user,
      client_id: origin.clientId ?? null,
      ...(origin.key !== undefined && { key: origin.key }),
      ...what,
      action,
      ...(notLoggedBefore > 0 && { not_logged: notLoggedBefore }),
      // Once a minute: further hits would repeat most of them.
      ...(minute.lines === 1 && { calls: recent.lastOf(user, origin, CALLS_LOGGED).map(shown) }),
    });
  }

  async #act(user: CallingUser, origin: CallOrigin): Promise<string> {
    const { log, onTripwire, freeze } = this.#options;
    const action = onTripwire();
    if (action !== 'freeze') return action;
    try {
      return (await freeze(user, origin)) ? 'frozen' : 'frozen before';
    } catch (error) {
      log.error('internal_error', { message: describeError(error) });
      return 'freezing failed';
    }
  }

  #minuteOf(user: CallingUser, origin: CallOrigin): { minute: Minute; notLoggedBefore: number } {
    const { now = () => performance.now() } = this.#options;
    const name = `${user.user} ${user.incarnation} ${origin.signInId ?? `key:${origin.key}`}`;
    const nowMs = now();
    const known = this.#minutes.get(name);
    if (known && nowMs - known.beganAtMs < MINUTE_MS) return { minute: known, notLoggedBefore: 0 };
    if (!known && this.#minutes.size >= MAX_ORIGINS) this.#minutes.clear();
    const minute = { beganAtMs: nowMs, lines: 0, notLogged: 0 };
    this.#minutes.set(name, minute);
    return { minute, notLoggedBefore: known?.notLogged ?? 0 };
  }
}

function shown({ atMs, tool, target, method, place, status, refusal }: RecentCall): object {
  return { at: new Date(atMs).toISOString(), tool, target, method, place, status, refusal };
}
