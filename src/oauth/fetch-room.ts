/**
 * How much strangers may make this server fetch at one time.
 *
 * The attacks: names that resolve slowly hold the threads that everybody's lookups need, and
 * documents that answer slowly keep other clients from signing in. A system lookup cannot be
 * cancelled, so it counts until it has ended, long after its fetch was given up. Of the 16
 * threads lookups may use 8; strangers get half of those. No host gets much of the room.
 *
 * Nor does one stranger keep others from a host by asking for many of its documents: whoever
 * finds no room waits for it, in the order of arrival, and a source waits with one fetch only.
 */
const MAX_FETCHES = 16;
const MAX_LOOKUPS = 4;
const MAX_PER_HOST = 2;
const MAX_WAITING = 64;

interface Waiting {
  readonly host: string;
  readonly source: string;
  begin(): void;
}

export class FetchRoom {
  readonly #waitMs: number;
  readonly #fetches = new Held(MAX_FETCHES, () => this.#admit());
  readonly #lookups = new Held(MAX_LOOKUPS, () => this.#admit());
  /** The first to come is the first. */
  readonly #waiting = new Set<Waiting>();

  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /** Fetches as soon as there is room; undefined when there is none in time. */
  async fetch<T>(host: string, source: string, fetch: () => Promise<T>): Promise<T | undefined> {
    if (this.#hasRoomFor(host)) return this.#begin(host, fetch);
    if (this.#waiting.size >= MAX_WAITING || this.#isWaiting(source)) return undefined;
    return new Promise((resolve) => {
      const waiting = {
        host,
        source,
        begin: () => {
          clearTimeout(giveUp);
          this.#waiting.delete(waiting);
          resolve(this.#begin(host, fetch));
        },
      };
      const giveUp = setTimeout(() => {
        this.#waiting.delete(waiting);
        resolve(undefined);
      }, this.#waitMs).unref();
      this.#waiting.add(waiting);
    });
  }

  holdLookup(host: string, work: Promise<unknown>): void {
    this.#lookups.hold(host, work);
  }

  #begin<T>(host: string, fetch: () => Promise<T>): Promise<T> {
    const fetching = fetch();
    this.#fetches.hold(host, fetching);
    return fetching;
  }

  #admit(): void {
    for (const waiting of this.#waiting) if (this.#hasRoomFor(waiting.host)) waiting.begin();
  }

  #hasRoomFor(host: string): boolean {
    return this.#fetches.hasRoomFor(host) && this.#lookups.hasRoomFor(host);
  }

  #isWaiting(source: string): boolean {
    return this.#waiting.values().some((waiting) => waiting.source === source);
  }
}

/** Work under way and the host that each piece of it is for. */
class Held {
  readonly #hostOf = new Map<Promise<unknown>, string>();
  readonly #max: number;
  readonly #onRoom: () => void;

  constructor(max: number, onRoom: () => void) {
    this.#max = max;
    this.#onRoom = onRoom;
  }

  hasRoomFor(host: string): boolean {
    const ofHost = this.#hostOf.values().filter((other) => other === host);
    return this.#hostOf.size < this.#max && ofHost.toArray().length < MAX_PER_HOST;
  }

  hold(host: string, work: Promise<unknown>): void {
    const release = () => {
      this.#hostOf.delete(work);
      this.#onRoom();
    };
    this.#hostOf.set(work, host);
    work.then(release, release);
  }
}
