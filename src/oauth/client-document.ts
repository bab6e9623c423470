/**
 * Reads what a client says of itself, in a registration (RFC 7591) or in its metadata
 * document. Everything but name and redirect URIs is ignored, whatever it is; logos and home pages
 * are never fetched.
 */
import { displayText } from './display-text.ts';
import { OAuthError } from './oauth-error.ts';
import { redirectUriProblem } from './redirect-uri.ts';

const MAX_NAME_CHARACTERS = 80;
const MAX_REDIRECT_URIS = 50;
/** Over all URIs of a client. Bounds the memory of a store that strangers fill. */
const MAX_REDIRECT_CHARACTERS = 8_192;

export interface ClientDescription {
  readonly name?: string;
  readonly redirectUris: readonly string[];
}

export function readClientDescription(document: unknown): ClientDescription {
  if (!isRecord(document)) {
    throw new OAuthError('invalid_client_metadata', 'the body must be a JSON object');
  }
  const name = displayText(document.client_name, MAX_NAME_CHARACTERS);
  const redirectUris = readRedirectUris(document.redirect_uris);
  return name === undefined ? { redirectUris } : { name, redirectUris };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readRedirectUris(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) {
    throw new OAuthError('invalid_redirect_uri', 'redirect_uris must list at least one URI');
  }
  if (value.length > MAX_REDIRECT_URIS) {
    throw new OAuthError('invalid_redirect_uri', `more than ${MAX_REDIRECT_URIS} redirect_uris`);
  }
  const uris = new Set<string>();
  let characters = 0;
  for (const [index, uri] of value.entries()) {
    const problem = typeof uri === 'string' ? redirectUriProblem(uri) : 'is not a text';
    if (problem) throw new OAuthError('invalid_redirect_uri', `redirect_uris[${index}] ${problem}`);
    uris.add(uri);
    characters += uri.length;
  }
  if (characters > MAX_REDIRECT_CHARACTERS) {
    throw new OAuthError(
      'invalid_redirect_uri',
      `the redirect_uris have more than ${MAX_REDIRECT_CHARACTERS} characters together`,
    );
  }
  return [...uris];
}
