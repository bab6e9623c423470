/**
 * Name lookups of users, shared fairly.
 *
 * Prevents denial of service by stalled lookups (CWE-400): a lookup of the system cannot be
 * cancelled and holds one of the few threads that everybody's lookups need, for as long as a dead
 * name server is waited for. A user holds at most half of what the others have left; what is more
 * waits, until the call's time is over. A name that is being looked up already costs nothing.
 */
import { FairShare } from '../limits/fair-share.ts';
import type { Resolver } from './guard.ts';

/**
 * Of the 16 threads that libuv lets lookups use of the 32 that `bin/gateway.ts` asks for; four are
 * for the client metadata of strangers (`src/oauth/fetch-limiter.ts`).
 */
const MAX_LOOKUPS = 12;

interface Waiting {
  readonly user: string;
  readonly host: string;
  readonly begin: (answers: Promise<readonly string[]>) => void;
}

export class Lookups {
  readonly #resolve: Resolver;
  readonly #share: FairShare;
  readonly #underWay = new Map<string, Promise<readonly string[]>>();
  /** The first to come is the first. */
  readonly #waiting = new Set<Waiting>();

  constructor(resolve: Resolver, maxLookups = MAX_LOOKUPS) {
    this.#resolve = resolve;
    this.#share = new FairShare(maxLookups);
  }

  /** A resolver whose lookups count as the user's. */
  for(user: string): Resolver {
    return (host, signal) => this.#begin(user, host) ?? this.#wait(user, host, signal);
  }

  /** The answers to come; undefined where the user has no share left. */
  #begin(user: string, host: string): Promise<readonly string[]> | undefined {
    const known = this.#underWay.get(host);
    if (known) return known;
    if (!this.#share.take(user, 1)) return undefined;
    const answers = this.#resolve(host).finally(() => {
      this.#underWay.delete(host);
      this.#share.giveBack(user, 1);
      this.#admit();
    });
    this.#underWay.set(host, answers);
    return answers;
  }

  #wait(user: string, host: string, signal?: AbortSignal): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiting);
        signal?.removeEventListener('abort', giveUp);
      };
      const giveUp = () => {
        leave();
        reject(signal?.reason);
      };
      const waiting: Waiting = {
        user,
        host,
        begin: (answers) => {
          leave();
          resolve(answers);
        },
      };
      this.#waiting.add(waiting);
      signal?.addEventListener('abort', giveUp);
      if (signal?.aborted) giveUp();
    });
  }

  #admit(): void {
    for (const waiting of this.#waiting) {
      const answers = this.#begin(waiting.user, waiting.host);
      if (answers) waiting.begin(answers);
    }
  }
}
