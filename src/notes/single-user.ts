/** The only account. */
import { type KeyObject, randomUUID } from 'node:crypto';
import { dummyCostFor, type Password, verifyPassword } from '../core/secrets/password.ts';
import { passwordMark } from '../core/secrets/password-mark.ts';
import type { Users } from '../core/users.ts';

export class SingleUser implements Users {
  readonly #name: string;
  readonly #password: Password;
  readonly #incarnation: string;
  readonly #factor: string;

  constructor(
    name: string,
    password: Password,
    incarnation: string = randomUUID(),
    hasSecondFactor = false,
  ) {
    this.#factor = hasSecondFactor ? ' totp' : '';
    this.#name = name;
    this.#password = password;
    this.#incarnation = incarnation;
  }

  /** Prevents user enumeration by timing: a wrong name takes as long as a wrong password. */
  async signIn(name: string, password: string): Promise<string | undefined> {
    const known = name === this.#name ? this.#password : undefined;
    const isRight = await verifyPassword(known, password, dummyCostFor([this.#password]));
    return isRight ? this.#incarnation : undefined;
  }

  incarnation(name: string): string | undefined {
    return name === this.#name ? this.#incarnation : undefined;
  }

  passwordMark(name: string, key: KeyObject): string | undefined {
    return name === this.#name ? passwordMark(this.#password, key) + this.#factor : undefined;
  }
}
