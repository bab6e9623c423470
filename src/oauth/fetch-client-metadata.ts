/**
 * Fetches a client's metadata document.
 *
 * Prevents server-side request forgery through a client id, which a stranger chooses: the network
 * guard checks the host with no network opened, the connection goes to a checked address, no redirect
 * is followed, nothing is decompressed, and size and time are limited. A stranger learns only whether
 * the document describes the client.
 */
import type { Dispatcher } from 'undici';
import type { Cidr } from '../core/net/address.ts';
import { guardDestination, type OwnEndpoints, type Resolver } from '../core/net/guard.ts';
import { pinnedConnector } from '../core/net/pinned-connector.ts';
import type { FetchClientMetadata } from './client-metadata.ts';

const MAX_BYTES = 64 * 1024;
const MAX_AGE_S = 86_400;
const MAX_HEADER_BYTES = 16 * 1024;
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

interface FetchOptions {
  /** Where this program itself is reached: never fetched from. */
  readonly own: OwnEndpoints;
  readonly resolve: Resolver;
  /** Tests trust their own authority and open loopback; the programs give neither. */
  readonly ca?: string;
  readonly allowNetworks?: readonly Cidr[];
}

export function createClientMetadataFetcher(options: FetchOptions): FetchClientMetadata {
  const { own, resolve, ca, allowNetworks = [] } = options;

  return async (url, signal, onLookup) => {
    if (url.protocol !== 'https:') throw new Error('the address is not https');
    const port = Number(url.port || 443);
    const resolveWatched: Resolver = (host, until) => {
      const lookup = resolve(host, until);
      onLookup(lookup);
      return lookup;
    };
    const rules = { resolve: resolveWatched, own, allowNetworks };
    const verdict = await guardDestination(url.hostname, port, rules, { signal });
    if (!verdict.ok) {
      throw new Error(`the host is ${verdict.kind === 'blocked' ? verdict.reason : verdict.cause}`);
    }
    // Loaded on demand: few clients have a metadata document.
    const { Client } = await import('undici');
    const client = new Client(url.origin, {
      connect: await pinnedConnector(verdict.pinned, ca),
      maxHeaderSize: MAX_HEADER_BYTES,
      pipelining: 0,
    });
    try {
      const response = await client.request({
        method: 'GET',
        path: url.pathname,
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          'user-agent': 'gatehouse',
        },
        signal,
      });
      refuseUnusable(response);
      return { body: await readBounded(response), maxAgeMs: maxAgeMs(response.headers) };
    } finally {
      await client.destroy();
    }
  };
}

function refuseUnusable({ statusCode, headers }: Dispatcher.ResponseData): void {
  if (statusCode !== 200) throw new Error(`the document answered ${statusCode}`);
  if (!JSON_TYPE.test(text(headers['content-type']))) throw new Error('the document is not JSON');
  if (!/^(?:identity)?$/i.test(text(headers['content-encoding']))) {
    throw new Error('the document is compressed, which was not asked for');
  }
}

async function readBounded({ body }: Dispatcher.ResponseData): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`the document is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** How long the answer may be kept: its `max-age`, at most a day, and not at all with `no-store`. */
function maxAgeMs(headers: Dispatcher.ResponseData['headers']): number {
  const directives = text(headers['cache-control']).toLowerCase();
  if (/\bno-(?:store|cache)\b/.test(directives)) return 0;
  const seconds = Number(/\bmax-age=(\d{1,9})\b/.exec(directives)?.[1] ?? 0);
  return Math.min(seconds, MAX_AGE_S) * 1_000;
}

function text(header: string | string[] | undefined): string {
  return Array.isArray(header) ? header.join(', ') : (header ?? '');
}
