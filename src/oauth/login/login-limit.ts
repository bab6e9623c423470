/**
 * Limits failed sign-ins per source address, and successful ones per user.
 *
 * Stops guessing. The token is taken before the password is looked at, so that attempts in
 * parallel are counted as well, and given back when the attempt was not a failure. An IPv6
 * network of /64 counts as one source, because one machine has all its addresses.
 *
 * A user who signs in over and over, as a client that cannot keep its tokens does, makes us store a
 * sign-in each time; the limit is far above what people do.
 */
import { sourceOf } from '../../core/http/client-address.ts';
import { parseRate, type Rate, type Take } from '../../core/limits/rate.ts';
import type { Store } from '../../core/store/store.ts';

const SIGN_INS_OF_USER = parseRate('100/h')!;

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

  takeOfUser(user: string): Promise<Take> {
    return this.#store.takeToken(`signed-in:${user}`, SIGN_INS_OF_USER);
  }

  giveBack(ip: string): Promise<void> {
    return this.#store.returnToken(bucketOf(ip), this.#rate());
  }
}

function bucketOf(ip: string): string {
  return `login:${sourceOf(ip)}`;
}
