/** Who is calling, as the bearer token says: exactly one user, through one registered client. */
export interface Caller {
  readonly user: string;
  /** Which user of that name: one that is removed and added again is another. */
  readonly incarnation: string;
  readonly clientId: string;
  /** The sign-in that the token is of; absent for a key of the HTTP door. */
  readonly signInId?: string;
}

/** The user of a call, whichever client made it. */
export type CallingUser = Pick<Caller, 'user' | 'incarnation'>;
