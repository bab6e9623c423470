/**
 * How much strangers may make this server fetch at one time.
 *
 * The attacks: names that resolve slowly hold the threads that everybody's lookups need, and
 * documents that answer slowly keep other clients from signing in. A system lookup cannot be
 * cancelled, so it counts until it has ended, long after its fetch was given up. Strangers get four
 * of the threads that lookups may use, which are 16 in the gateway and 8 in the notes. No host gets much of the room, and a
 * source at most half of what the others have left, so that several must join to take it all.
 *
 * Nor does one stranger keep others from a host by asking for many of its documents: anyone who
 * finds no room waits for it, in the order of arrival, and a source waits with one fetch only.
 */
const MAX_FETCHES = 16;
const MAX_LOOKUPS = 4;
const MAX_PER_HOST = 2;
const MAX_WAITING = 64;

/** Where a fetch goes, and where the wish for it came from. */
export interface FetchKey {
  readonly host: string;
  readonly source: string;
}

interface Waiting {
  readonly errand: FetchKey;
  begin(): void;
}

export class FetchLimiter {
  readonly #waitMs: number;
  readonly #fetches = new Held(MAX_FETCHES, () => this.#admit());
  readonly #lookups = new Held(MAX_LOOKUPS, () => this.#admit());
  /** The first to come is the first. */
  readonly #waiting = new Set<Waiting>();

  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /** Fetches as soon as there is room; undefined when there is none in time. */
  async fetch<T>(errand: FetchKey, fetch: () => Promise<T>): Promise<T | undefined> {
    if (this.#hasRoomFor(errand)) return this.#begin(errand, fetch);
    if (this.#waiting.size >= MAX_WAITING || this.#isWaiting(errand.source)) return undefined;
    return new Promise((resolve) => {
      const waiting = {
        errand,
        begin: () => {
          clearTimeout(giveUp);
          this.#waiting.delete(waiting);
          resolve(this.#begin(errand, fetch));
        },
      };
      const giveUp = setTimeout(() => {
        this.#waiting.delete(waiting);
        resolve(undefined);
      }, this.#waitMs).unref();
      this.#waiting.add(waiting);
    });
  }

  holdLookup(errand: FetchKey, work: Promise<unknown>): void {
    this.#lookups.hold(errand, work);
  }

  #begin<T>(errand: FetchKey, fetch: () => Promise<T>): Promise<T> {
    const fetching = fetch();
    this.#fetches.hold(errand, fetching);
    return fetching;
  }

  #admit(): void {
    for (const waiting of this.#waiting) if (this.#hasRoomFor(waiting.errand)) waiting.begin();
  }

  #hasRoomFor(errand: FetchKey): boolean {
    return this.#fetches.hasRoomFor(errand) && this.#lookups.hasRoomFor(errand);
  }

  #isWaiting(source: string): boolean {
    return this.#waiting.values().some(({ errand }) => errand.source === source);
  }
}

/** Work under way and the errand that each piece of it is for. */
class Held {
  readonly #errandOf = new Map<Promise<unknown>, FetchKey>();
  readonly #max: number;
  readonly #onRoom: () => void;

  constructor(max: number, onRoom: () => void) {
    this.#max = max;
    this.#onRoom = onRoom;
  }

  hasRoomFor({ host, source }: FetchKey): boolean {
    let ofHost = 0;
    let ofSource = 0;
    for (const other of this.#errandOf.values()) {
      if (other.host === host) ofHost += 1;
      if (other.source === source) ofSource += 1;
    }
    return ofHost < MAX_PER_HOST && ofSource < this.#max - this.#errandOf.size;
  }

  hold(errand: FetchKey, work: Promise<unknown>): void {
    const release = () => {
      this.#errandOf.delete(work);
      this.#onRoom();
    };
    this.#errandOf.set(work, errand);
    work.then(release, release);
  }
}
