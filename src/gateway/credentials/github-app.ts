/** Requests the token of a GitHub App's installation, which lives for an hour. */
import { type GithubAppSource, tokenEndpointOf } from '../config/minted-secret.ts';
import { CredentialError } from './credential-error.ts';
import { signJwt } from './jwt.ts';
import type { MintContext, Minted } from './minted.ts';

/** GitHub refuses a JWT that lives longer than ten minutes. */
const JWT_LIFETIME_MS = 9 * 60_000;

export async function requestInstallationToken(
  source: GithubAppSource,
  { fetch, wallNowMs, expose }: MintContext,
): Promise<Minted> {
  const { jwt } = await signJwt(
    {
      ...{ kind: 'jwt', algorithm: 'RS256', key: source.privateKey, keyId: undefined },
      ...{ claims: { iss: source.appId }, lifetimeMs: JWT_LIFETIME_MS },
    },
    wallNowMs(),
  );
  expose('assertion', jwt);
  const { status, body } = await fetch({
    url: tokenEndpointOf(source)!,
    method: 'POST',
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${jwt}`,
      'x-github-api-version': '2022-11-28',
    },
  });
  if (status !== 201) throw new CredentialError(`status_${status}`, status);
  const { token, expires_at: expiresAt } = parseObject(body);
  if (typeof token !== 'string') throw new CredentialError('invalid_response', status);
  const expiresAtMs = typeof expiresAt === 'string' ? Date.parse(expiresAt) : Number.NaN;
  const lifetimeMs = Number.isNaN(expiresAtMs) ? undefined : expiresAtMs - wallNowMs();
  return { token: expose('token', token), lifetimeMs, status };
}

function parseObject(body: Buffer): Record<string, unknown> {
  try {
    return Object(JSON.parse(body.toString('utf8')));
  } catch {
    return {};
  }
}
