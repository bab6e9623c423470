/**
 * Limits failed sign-ins per source address.
 *
 * Stops guessing. The token is taken before the password is looked at, so that attempts in
 * parallel are counted as well, and given back when the attempt was not a failure. An IPv6
 * network of /64 counts as one source, because one machine has all its addresses.
 */
import { sourceOf } from '../core/client-address.ts';
import type { Rate, Take } from '../core/rate.ts';
import type { Store } from '../core/store.ts';

export class LoginLimit {
  readonly #store: Store;
  readonly #rate: () => Rate;

  constructor(store: Store, rate: () => Rate) {
    this.#store = store;
    this.#rate = rate;
  }

  take(ip: string): Promise<Take> {
    return this.#store.takeToken(bucketOf(ip), this.#rate());
  }

  giveBack(ip: string): Promise<void> {
    return this.#store.returnToken(bucketOf(ip), this.#rate());
  }
}

function bucketOf(ip: string): string {
  return `login:${sourceOf(ip)}`;
}
