/**
 * Limits the concurrent name lookups of each user.
 *
 * Prevents denial of service by stalled lookups (CWE-400): a system lookup cannot be cancelled and holds
 * one of the few threads for lookups until a dead name server times out. A user gets at most half of
 * what the others leave free; further lookups wait until the deadline of their call. Lookups of the same
 * name are shared.
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
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>();

  constructor(resolve: Resolver, maxLookups = MAX_LOOKUPS) {
    this.#resolve = resolve;
    this.#share = new FairShare(maxLookups);
  }

  /** A resolver whose lookups count as the user's. */
  for(user: string): Resolver {
    return (host, signal) => this.#begin(user, host) ?? this.#wait(user, host, signal);
  }

  /** Begins a lookup or joins one of the same name; undefined where the user has no share left. */
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
