/**
 * Limits failed sign-ins per source address.
 *
 * Stops guessing. The token is taken before the password is looked at, so that attempts in
 * parallel are counted as well, and given back when the attempt was not a failure. An IPv6
 * network of /64 counts as one source, because one machine has all its addresses.
 */
import { parseAddress } from '../core/address.ts';
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

/** The address, or the /64 it lies in; a zone id does not make another source. */
export function sourceOf(ip: string): string {
  const address = parseAddress(ip.replace(/%.*$/, ''));
  if (!address) return 'unknown';
  if (address.family === 4) return address.text;
  return `${Buffer.from(address.bytes.slice(0, 8)).toString('hex')}/64`;
}
