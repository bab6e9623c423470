/**
 * A concurrency limit with fair shares: divides a limited number of slots, or bytes, among callers.
 *
 * Prevents one caller from starving the others (CWE-770): each may hold at most half of what the others
 * leave free.
 */
export class FairShare {
  readonly #total: number;
  readonly #taken = new Tally();

  constructor(total: number) {
    this.#total = total;
  }

  /** Takes the amount, if it is within the share of the caller. */
  take(who: string, amount: number): boolean {
    const own = this.#taken.of(who);
    const others = this.#taken.total - own;
    if (own + amount > Math.ceil((this.#total - others) / 2)) return false;
    this.#taken.add(who, amount);
    return true;
  }

  giveBack(who: string, amount: number): void {
    this.#taken.add(who, -amount);
  }

  /** What the caller holds. */
  of(who: string): number {
    return this.#taken.of(who);
  }
}

/** Sums by name; a name with the sum zero is removed. */
export class Tally {
  total = 0;
  readonly #amounts = new Map<string, number>();

  of(name: string): number {
    return this.#amounts.get(name) ?? 0;
  }

  add(name: string, amount: number): void {
    this.total += amount;
    const sum = this.of(name) + amount;
    if (sum === 0) this.#amounts.delete(name);
    else this.#amounts.set(name, sum);
  }
}
