/**
 * Limits failed sign-ins per source, and successful ones per user.
 *
 * Prevents brute force (CWE-307): the token is taken before the password is checked, so that parallel
 * attempts count, too, and returned unless the attempt fails. The limit per user stops a client that
 * signs in again and again instead of keeping its tokens; people never reach it.
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
