import type { KeyObject } from 'node:crypto';

/** The people who may sign in, as the programs know them. The OAuth server asks nothing else. */
export interface Users {
  /** The incarnation of the user whose name and password these are; undefined for anyone else. */
  signIn(name: string, password: string): Promise<string | undefined>;
  /**
   * The present incarnation of a user. It changes when a user is removed and added again,
   * so that a token of the one never serves the other; undefined when there is no such user.
   */
  incarnation(name: string): string | undefined;
  /** Changes with the password, and when a second factor is added or removed; see `passwordMark`. */
  passwordMark(name: string, key: KeyObject): string | undefined;
}
