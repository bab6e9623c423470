/**
 * Sends a token request.
 *
 * Prevents SSRF (CWE-918) and DNS rebinding like a request to a target: the host is resolved once,
 * every address is checked, the connection goes to a checked address, no redirect is followed, and
 * size and time are limited. The operator has named the URL, so it needs no target; a private
 * address needs `allow_networks`.
 */
import type { Cidr } from '../../core/net/address.ts';
import { guardDestination, type OwnEndpoints, type Resolver } from '../../core/net/guard.ts';
import { pinnedConnector } from '../../core/net/pinned-connector.ts';
import { VERSION } from '../../core/version.ts';
import { CredentialError } from './credential-error.ts';

const MAX_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const USER_AGENT = `gatehouse/${VERSION}`;

interface FetchRules {
  readonly resolve: Resolver;
  readonly allowNetworks: readonly Cidr[];
  readonly own: OwnEndpoints;
  readonly timeoutMs: number;
}

export interface TokenRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface TokenAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

export async function guardedFetch(request: TokenRequest, rules: FetchRules): Promise<TokenAnswer> {
  const signal = AbortSignal.timeout(rules.timeoutMs);
  try {
    return await exchange(request, rules, signal);
  } catch (error) {
    if (error instanceof CredentialError) throw error;
    throw new CredentialError(signal.aborted ? 'timeout' : 'connection_failed');
  }
}

async function exchange(
  { url: href, method, headers, body }: TokenRequest,
  rules: FetchRules,
  signal: AbortSignal,
): Promise<TokenAnswer> {
  const url = new URL(href);
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const verdict = await guardDestination(url.hostname, port, rules, { signal });
  if (!verdict.ok) {
    if (verdict.kind === 'blocked') throw new CredentialError('blocked_network');
    throw new CredentialError(verdict.cause === 'timeout' ? 'timeout' : 'host_not_found');
  }
  // Loaded with the first token request, so that a gateway without any uses less memory.
  const { default: Client } = await import('undici/lib/dispatcher/client.js');
  const { default: send } = await import('undici/lib/api/api-request.js');
  const client = new Client(url.origin, {
    connect: await pinnedConnector(verdict.pinned),
    maxHeaderSize: MAX_HEADER_BYTES,
    pipelining: 0,
  });
  try {
    const response = await send.call(client, {
      ...{ method: method as 'POST', path: `${url.pathname}${url.search}`, signal },
      headers: { ...headers, 'accept-encoding': 'identity', 'user-agent': USER_AGENT },
      body: body ?? null,
    });
    const { statusCode: status } = response;
    if (status >= 300 && status < 400) throw new CredentialError('redirected', status);
    const type = response.headers['content-type'];
    return { status, contentType: String(type ?? ''), body: await readBounded(response.body) };
  } finally {
    await client.destroy();
  }
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new CredentialError('answer_too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
