/**
 * Real MCP clients, written by others, from the first 401 to a connection that works: they discover
 * the authorization server, register, send a person to the sign-in page and exchange the code. Only
 * the person at the page is played here.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  Client as Client2,
  type OAuthClientProvider,
  StreamableHTTPClientTransport as Transport2,
  UnauthorizedError as Unauthorized2,
} from '@modelcontextprotocol/client';
import { UnauthorizedError as Unauthorized1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { freePort } from '../programs/free-port.ts';
import { submitLogin } from './client.ts';

export type RealClient = Client1 | Client2;

export interface Account {
  readonly name: string;
  readonly password: string;
}

/** Signs in to the server at `url`, uses the client and closes it. */
export type WithClient = (
  url: string,
  account: Account,
  use: (client: RealClient) => Promise<void>,
) => Promise<void>;

const CALLBACK = 'http://127.0.0.1:9/callback';
const INFO = { name: 'test', version: '1.0.0' };
const MCP_REMOTE = join(import.meta.dirname, '../../../node_modules/mcp-remote/dist/proxy.js');

export const REAL_CLIENTS: readonly (readonly [name: string, connected: WithClient])[] = [
  ['client 2.x choosing for itself', client2('auto', '2026-07-28')],
  ['client 2.x in legacy mode', client2('legacy', '2025-11-25')],
  ['sdk 1.x', client1],
  ['mcp-remote', mcpRemote],
];

function client2(mode: 'auto' | 'legacy', version: string): WithClient {
  return async (url, account, use) => {
    const { provider, callback } = person(account);
    const connect = () => {
      const transport = new Transport2(new URL(`${url}/mcp`), { authProvider: provider });
      const client = new Client2(INFO, { versionNegotiation: { mode } });
      return { transport, client, done: client.connect(transport) };
    };
    const first = connect();
    await assert.rejects(first.done, Unauthorized2);
    await first.transport.finishAuth(await callback);
    const { client, done } = connect();
    await done;
    assert.equal(client.getNegotiatedProtocolVersion(), version);
    await use(client);
    await client.close();
  };
}

async function client1(
  url: string,
  account: Account,
  use: (client: RealClient) => Promise<void>,
): Promise<void> {
  const { provider, callback } = person(account);
  const connect = () => new Transport1(new URL(`${url}/mcp`), { authProvider: provider as never });
  const first = connect();
  await assert.rejects(new Client1(INFO).connect(first as Transport), Unauthorized1);
  await first.finishAuth((await callback).get('code')!);
  const client = new Client1(INFO);
  await client.connect(connect() as Transport);
  await use(client);
  await client.close();
}

/** A client that speaks to a local program alone, which mcp-remote is for it. */
async function mcpRemote(
  url: string,
  account: Account,
  use: (client: RealClient) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-remote-'));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MCP_REMOTE, `${url}/mcp`, String(await freePort()), '--allow-http'],
    env: { PATH: directory, HOME: directory, MCP_REMOTE_CONFIG_DIR: directory },
    stderr: 'pipe',
  });
  const client = new Client1(INFO);
  try {
    const page = authorizationUrl(transport.stderr as Readable);
    const connected = client.connect(transport);
    const location = await submitLogin(await page, account.name, account.password);
    assert.equal((await fetch(location)).status, 200);
    await connected;
    await use(client);
  } finally {
    await client.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A client's memory, and a person who signs in when sent to the page. */
function person(account: Account): {
  provider: OAuthClientProvider;
  callback: Promise<URLSearchParams>;
} {
  const memory: Record<string, unknown> = {};
  const { promise: callback, resolve, reject } = Promise.withResolvers<URLSearchParams>();
  const provider = {
    redirectUrl: CALLBACK,
    clientMetadata: { client_name: 'Test client', redirect_uris: [CALLBACK] },
    clientInformation: () => memory.client,
    saveClientInformation: (client: unknown) => {
      memory.client = client;
    },
    tokens: () => memory.tokens,
    saveTokens: (tokens: unknown) => {
      memory.tokens = tokens;
    },
    saveCodeVerifier: (verifier: string) => {
      memory.verifier = verifier;
    },
    codeVerifier: () => memory.verifier,
    saveDiscoveryState: (state: unknown) => {
      memory.discovery = state;
    },
    discoveryState: () => memory.discovery,
    redirectToAuthorization: (url: URL) => {
      submitLogin(url.href, account.name, account.password)
        .then((location) => resolve(new URL(location).searchParams))
        .catch(reject);
    },
  };
  return { provider: provider as unknown as OAuthClientProvider, callback };
}

/** mcp-remote prints where to sign in, for people without a browser at hand. */
function authorizationUrl(stderr: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const url = /https?:\/\/\S+\/authorize\?\S+(?=\n)/.exec(text)?.[0];
      if (url) resolve(url);
    });
    stderr.on('end', () => reject(new Error(`mcp-remote ended without an address: ${text}`)));
  });
}
