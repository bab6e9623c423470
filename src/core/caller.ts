/** Who is calling, as the bearer token says: exactly one user, through one registered client. */
export interface Caller {
  readonly user: string;
  readonly clientId: string;
}
