/**
 * `notes://{vault}/{+path}`. Prevents path traversal: it is parsed without `URL`, which would resolve
 * `..` before the path rules of the vault see it.
 */
export interface ResourceAddress {
  readonly vault: string;
  /** Decoded once, not validated yet. */
  readonly path: string;
}

const SCHEME = 'notes://';

export function resourceUri(vault: string, path: string): string {
  return `${SCHEME}${vault}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

export function readResourceUri(uri: string): ResourceAddress | undefined {
  const slash = uri.indexOf('/', SCHEME.length);
  if (!uri.startsWith(SCHEME) || slash === -1) return undefined;
  try {
    return {
      vault: uri.slice(SCHEME.length, slash),
      path: decodeURIComponent(uri.slice(slash + 1)),
    };
  } catch {
    return undefined;
  }
}
