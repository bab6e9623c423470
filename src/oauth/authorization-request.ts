/**
 * Judges the parameters of `/authorize`, for the form that is shown and once more for the
 * form that is posted (OAuth 2.1, section 4.1.1).
 *
 * Stops the open redirect: until the client and its redirect URI are known to belong
 * together, nothing is ever sent to that URI, and the user sees a page instead. From then on
 * the client is reported every other error by redirect (OAuth 2.1, section 4.1.2.1).
 */
import type { FoundClient } from './client-metadata.ts';
import { OAuthError } from './oauth-error.ts';
import {
  parameter,
  refuseForeignResource,
  refuseRepeated,
  requiredParameter,
} from './parameters.ts';
import { isChallenge } from './pkce.ts';
import type { Client } from './records.ts';
import { matchesRedirectUri } from './redirect-uri.ts';
import { grantedScope } from './scope.ts';

/** A request that may be answered with a code once the user has signed in. */
export interface AuthorizationRequest {
  readonly client: Client;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly challenge: string;
  /** What is granted of the scope that was asked for. */
  readonly scope: string;
}

type PageProblem =
  | 'missing_client'
  | 'unknown_client'
  | 'unreadable_client'
  | 'busy'
  | 'unknown_redirect';

export type Judgement =
  | { readonly kind: 'good'; readonly request: AuthorizationRequest }
  | { readonly kind: 'page'; readonly problem: PageProblem }
  | {
      readonly kind: 'redirect';
      readonly redirectUri: string;
      readonly state: string | undefined;
      readonly error: OAuthError;
    };

/** Browsers make CR LF of either alone, and cannot write NUL; RFC 6749, appendix A.5, has neither. */
const CHANGED_BY_FORMS = /\0|\r(?!\n)|(?<!\r)\n/;

const PROBLEM_OF = {
  unknown: 'unknown_client',
  unreadable: 'unreadable_client',
  busy: 'busy',
} as const;

export async function judgeAuthorizationRequest(
  parameters: URLSearchParams,
  findClient: (id: string) => Promise<FoundClient>,
  publicUrl: string,
): Promise<Judgement> {
  const clientId = single(parameters, 'client_id');
  if (clientId === undefined) return { kind: 'page', problem: 'missing_client' };
  const found = await findClient(clientId);
  if (!found.ok) return { kind: 'page', problem: PROBLEM_OF[found.reason] };
  const { client } = found;
  const redirectUri = chooseRedirectUri(parameters, client);
  if (redirectUri === undefined) return { kind: 'page', problem: 'unknown_redirect' };

  const state = single(parameters, 'state');
  try {
    const challenge = readChallenge(parameters, publicUrl);
    refuseUnpostable(state);
    const scope = grantedScope(parameter(parameters, 'scope'));
    return { kind: 'good', request: { client, redirectUri, state, challenge, scope } };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return { kind: 'redirect', redirectUri, state, error };
  }
}

/** The URI presented, if it is registered; where none is, the only one there is. */
function chooseRedirectUri(parameters: URLSearchParams, client: Client): string | undefined {
  const { redirectUris } = client;
  if (!parameters.has('redirect_uri')) {
    return redirectUris.length === 1 ? redirectUris[0] : undefined;
  }
  const presented = single(parameters, 'redirect_uri') ?? '';
  const isRegistered = redirectUris.some((uri) => matchesRedirectUri(uri, presented));
  return isRegistered ? presented : undefined;
}

function readChallenge(parameters: URLSearchParams, publicUrl: string): string {
  refuseRepeated(parameters);
  if (requiredParameter(parameters, 'response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type must be code');
  }
  const challenge = requiredParameter(parameters, 'code_challenge');
  if (parameter(parameters, 'code_challenge_method') !== 'S256') {
    throw new OAuthError('invalid_request', 'code_challenge_method must be S256');
  }
  if (!isChallenge(challenge)) {
    throw new OAuthError('invalid_request', 'code_challenge must be 43 characters of base64url');
  }
  refuseForeignResource(parameters, publicUrl);
  return challenge;
}

/** Signing in would fail each time: the form is bound to the state, and comes back with another. */
function refuseUnpostable(state = ''): void {
  if (!CHANGED_BY_FORMS.test(state)) return;
  throw new OAuthError(
    'invalid_request',
    'state holds a line break or NUL; encode it as base64url',
  );
}

/** The value of a parameter that is exactly once. */
function single(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name);
  return values.length === 1 ? values[0] || undefined : undefined;
}
