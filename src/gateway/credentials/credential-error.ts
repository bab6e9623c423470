/** Why a token could not be obtained, in words that hold nothing of what the provider sent. */
export class CredentialError extends Error {
  override readonly name = 'CredentialError';
  /** The error code of the provider, or one of ours. */
  readonly code: string;
  /** Of the provider's answer, where there was one. */
  readonly status: number | undefined;

  constructor(code: string, status?: number) {
    super(`the token request failed (${code})`);
    this.code = code;
    this.status = status;
  }

  /** The store is ours: clients may try again soon. */
  get refusalStatus(): 502 | 503 | 504 {
    if (this.code === 'store_unavailable') return 503;
    return this.code === 'timeout' ? 504 : 502;
  }
}

/**
 * The code of an OAuth error answer (RFC 6749, section 5.2) where it is plainly one: letters in
 * lower case and underscores. Whatever else the provider put there may be part of a secret.
 */
export function providerCode(error: unknown): string {
  return typeof error === 'string' && /^[a-z_]{3,40}$/.test(error) ? error : 'unreadable_error';
}
