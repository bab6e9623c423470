/**
 * Limits the fetches and name lookups that strangers can cause at a time.
 *
 * Prevents denial of service by slow names and slow documents (CWE-400): a lookup holds a thread that
 * everybody's lookups need, and cannot be cancelled, so it counts until it ends, long after its fetch
 * was given up. Strangers get four of the threads for lookups, of which the gateway has 16 and the
 * notes server 8. Each host has a limit of its own, and a source gets at most half of what the others
 * leave free. A fetch that is over a limit waits in order of arrival; a source waits with one fetch.
 */
const MAX_FETCHES = 16;
const MAX_LOOKUPS = 4;
const MAX_PER_HOST = 2;
const MAX_WAITING = 64;

/** The host that is fetched from, and the address that asked for it. */
export interface FetchKey {
  readonly host: string;
  readonly source: string;
}

interface Waiting {
  readonly key: FetchKey;
  begin(): void;
}

export class FetchLimiter {
  readonly #waitMs: number;
  readonly #fetches = new RunningWork(MAX_FETCHES, () => this.#admit());
  readonly #lookups = new RunningWork(MAX_LOOKUPS, () => this.#admit());
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>();

  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /** Fetches as soon as the limits permit; undefined when they do not in time. */
  async fetch<T>(key: FetchKey, fetch: () => Promise<T>): Promise<T | undefined> {
    if (this.#hasRoomFor(key)) return this.#begin(key, fetch);
    if (this.#waiting.size >= MAX_WAITING || this.#isWaiting(key.source)) return undefined;
    return new Promise((resolve) => {
      const waiting = {
        key,
        begin: () => {
          clearTimeout(giveUp);
          this.#waiting.delete(waiting);
          resolve(this.#begin(key, fetch));
        },
      };
      const giveUp = setTimeout(() => {
        this.#waiting.delete(waiting);
        resolve(undefined);
      }, this.#waitMs).unref();
      this.#waiting.add(waiting);
    });
  }

  holdLookup(key: FetchKey, work: Promise<unknown>): void {
    this.#lookups.hold(key, work);
  }

  #begin<T>(key: FetchKey, fetch: () => Promise<T>): Promise<T> {
    const fetching = fetch();
    this.#fetches.hold(key, fetching);
    return fetching;
  }

  #admit(): void {
    for (const waiting of this.#waiting) if (this.#hasRoomFor(waiting.key)) waiting.begin();
  }

  #hasRoomFor(key: FetchKey): boolean {
    return this.#fetches.hasRoomFor(key) && this.#lookups.hasRoomFor(key);
  }

  #isWaiting(source: string): boolean {
    return this.#waiting.values().some(({ key }) => key.source === source);
  }
}

/** Counts work that runs, by host and by source. */
class RunningWork {
  readonly #keyOf = new Map<Promise<unknown>, FetchKey>();
  readonly #max: number;
  readonly #onRoom: () => void;

  constructor(max: number, onRoom: () => void) {
    this.#max = max;
    this.#onRoom = onRoom;
  }

  hasRoomFor({ host, source }: FetchKey): boolean {
    let ofHost = 0;
    let ofSource = 0;
    for (const other of this.#keyOf.values()) {
      if (other.host === host) ofHost += 1;
      if (other.source === source) ofSource += 1;
    }
    return ofHost < MAX_PER_HOST && ofSource < this.#max - this.#keyOf.size;
  }

  hold(key: FetchKey, work: Promise<unknown>): void {
    const release = () => {
      this.#keyOf.delete(work);
      this.#onRoom();
    };
    this.#keyOf.set(work, key);
    work.then(release, release);
  }
}
