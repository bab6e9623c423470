/**
 * How much strangers may make this server fetch at one time.
 *
 * The attacks: names that resolve slowly hold the threads that everybody's lookups need, and
 * documents that answer slowly keep other clients from signing in. A system lookup cannot be
 * cancelled, so it counts until it has ended, long after its fetch was given up. Of the 16
 * threads lookups may use 8; strangers get half of those. No host gets much of the room.
 */
const MAX_FETCHES = 16;
const MAX_LOOKUPS = 4;
const MAX_PER_HOST = 2;

export class FetchRoom {
  readonly #fetches = new Held(MAX_FETCHES);
  readonly #lookups = new Held(MAX_LOOKUPS);

  hasRoomFor(host: string): boolean {
    return this.#fetches.hasRoomFor(host) && this.#lookups.hasRoomFor(host);
  }

  holdFetch(host: string, work: Promise<unknown>): void {
    this.#fetches.hold(host, work);
  }

  holdLookup(host: string, work: Promise<unknown>): void {
    this.#lookups.hold(host, work);
  }
}

/** Work under way and the host that each piece of it is for. */
class Held {
  readonly #hostOf = new Map<Promise<unknown>, string>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  hasRoomFor(host: string): boolean {
    const ofHost = this.#hostOf.values().filter((other) => other === host);
    return this.#hostOf.size < this.#max && ofHost.toArray().length < MAX_PER_HOST;
  }

  hold(host: string, work: Promise<unknown>): void {
    const release = () => this.#hostOf.delete(work);
    this.#hostOf.set(work, host);
    work.then(release, release);
  }
}
