import type { KeyObject } from 'node:crypto';

/** The users of a program, as sign-in needs them. */
export interface Users {
  /** The incarnation of the user with this name and password, or undefined. */
  signIn(name: string, password: string): Promise<string | undefined>;
  /**
   * The present incarnation of a user, or undefined without such a user. It changes when a user is
   * removed and added again, so that tokens of the former are not valid for the latter.
   */
  incarnation(name: string): string | undefined;
  /** Changes with the password, and when a second factor is added or removed; see `passwordMark`. */
  passwordMark(name: string, key: KeyObject): string | undefined;
}
