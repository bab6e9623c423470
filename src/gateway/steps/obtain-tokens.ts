/**
 * Step 10, first act. Obtains the current tokens of the minted secrets that the target injects. A
 * failure names the secret and the provider's error code, never anything else that the provider sent.
 */
import type { Secret } from '../../core/secrets/secret.ts';
import type { Target, User } from '../config/config.ts';
import { CredentialError } from '../credentials/credential-error.ts';
import { Refusal } from '../request/refusal.ts';
import type { CallContext } from '../upstream/call-context.ts';

/** The user's secrets, with those that are minted. */
export async function obtainTokens(
  target: Target | undefined,
  user: User,
  context: CallContext,
): Promise<ReadonlyMap<string, Secret>> {
  const names = target?.inject.mintedNames ?? [];
  if (names.length === 0) return user.secrets;
  const obtained = await Promise.all(
    names.map(async (name) => [name, await obtain(name, user, context)] as const),
  );
  return new Map([...user.secrets, ...obtained]);
}

/** The call waits until its own deadline; the token request continues for later calls. */
function obtain(name: string, user: User, { tokens, deadline }: CallContext): Promise<Secret> {
  return new Promise((resolve, reject) => {
    const onOver = () => {
      const late = deadline.refusal();
      reject(late.code === 'cancelled' ? late : unavailable(name, new CredentialError('timeout')));
    };
    deadline.onOver(onOver);
    tokens
      .obtain(user.name, user.minted.get(name)!)
      .then(resolve, (error) => {
        reject(error instanceof CredentialError ? unavailable(name, error) : error);
      })
      .finally(() => deadline.forget(onOver));
  });
}

function unavailable(name: string, error: CredentialError): Refusal {
  const message = `the gateway could not obtain a token for its secret ${name} (${error.code}); nothing was sent`;
  return new Refusal('credential_unavailable', message, { status: error.refusalStatus });
}
