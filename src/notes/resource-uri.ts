/**
 * `notes://{vault}/{+path}`: the address of a file. It is taken apart by hand: a URL parser would
 * fold `..` and decode what it likes, and the path rules of the vault are to judge what was sent.
 */
export interface ResourceAddress {
  readonly vault: string;
  /** Decoded once, not judged yet. */
  readonly path: string;
}

const SCHEME = 'notes://';

export function resourceUri(vault: string, path: string): string {
  return `${SCHEME}${vault}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** Undefined for what is no such address. */
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
