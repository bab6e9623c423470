/**
 * Real MCP clients, written by others, from the first 401 to a tool call: they discover the
 * authorization server, register, send a person to the sign-in page, exchange the code, and
 * work. Only the person at the page is played by the test.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  Client as Client2,
  type OAuthClientProvider,
  StreamableHTTPClientTransport as Transport2,
  UnauthorizedError as Unauthorized2,
} from '@modelcontextprotocol/client';
import { UnauthorizedError as Unauthorized1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type GatewayProcess, startGateway, submitLogin } from '../support/gateway.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const SECRET = 'sk-live-9f8e7d6c5b4a';
const CALLBACK = 'http://127.0.0.1:9/callback';
const INFO = { name: 'test', version: '1.0.0' };

let upstream: Upstream;
let gateway: GatewayProcess;
before(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    config: `
server:
  allow_networks: [127.0.0.0/8]
users:
  - name: alice
    password: wonderland
    secrets: {api_key: ${SECRET}}
    targets:
      - id: echo
        description: Reflects what it is sent.
        base_url: ${upstream.url}
        inject: {headers: {X-Api-Key: "\${api_key}"}}
`,
  });
});
after(async () => {
  await gateway.stop();
  await upstream.close();
});

for (const mode of ['auto', 'legacy'] as const) {
  test(`client 2.x in ${mode} mode signs in and calls a tool`, async () => {
    const { provider, callback } = person();
    const connect = async () => {
      const transport = new Transport2(new URL(`${gateway.url}/mcp`), { authProvider: provider });
      const client = new Client2(INFO, { versionNegotiation: { mode } });
      return { transport, client, done: client.connect(transport) };
    };
    const first = await connect();
    await assert.rejects(first.done, Unauthorized2);
    await first.transport.finishAuth(await callback);
    const { client, done } = await connect();
    await done;
    assert.equal(
      client.getNegotiatedProtocolVersion(),
      mode === 'auto' ? '2026-07-28' : '2025-11-25',
    );
    await works(client);
    await client.close();
  });
}

test('sdk 1.x signs in and calls a tool', async () => {
  const { provider, callback } = person();
  const url = new URL(`${gateway.url}/mcp`);
  const first = new Transport1(url, { authProvider: provider as never });
  await assert.rejects(new Client1(INFO).connect(first as Transport), Unauthorized1);
  await first.finishAuth((await callback).get('code')!);
  const client = new Client1(INFO);
  await client.connect(new Transport1(url, { authProvider: provider as never }) as Transport);
  await works(client);
  await client.close();
});

test('mcp-remote signs in and carries a local client to the gateway', async () => {
  const proxy = join(import.meta.dirname, '../../node_modules/mcp-remote/dist/proxy.js');
  const directory = mkdtempSync(join(tmpdir(), 'mcp-remote-'));
  const child = spawn(process.execPath, [proxy, `${gateway.url}/mcp`, '--allow-http'], {
    env: { PATH: directory, HOME: directory, MCP_REMOTE_CONFIG_DIR: directory },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  try {
    const answers = jsonLines(child.stdout);
    const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
    send({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO },
    });
    const location = await submitLogin(await authorizationUrl(child.stderr), 'alice', 'wonderland');
    assert.equal((await fetch(location)).status, 200);
    const initialized = await answers(1);
    assert.equal(initialized.result.serverInfo.name, 'gatehouse-gateway');
    send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const request = { name: 'http_request', arguments: { url: `${upstream.url}/x` } };
    send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: request });
    const { result } = await answers(2);
    assert.equal(result.structuredContent.status, 200);
    assert.match(result.structuredContent.body, /"x-api-key":"\[REDACTED\]"/);
  } finally {
    child.kill();
    rmSync(directory, { recursive: true, force: true });
  }
});

async function works(client: Client1 | Client2): Promise<void> {
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map((tool) => tool.name),
    ['list_targets', 'http_request'],
  );
  const url = `${upstream.url}/x`;
  const answer = await client.callTool({ name: 'http_request', arguments: { url } });
  const { status, body, target } = answer.structuredContent as Record<string, unknown>;
  assert.deepEqual({ status, target }, { status: 200, target: 'echo' });
  assert.equal(upstream.received.at(-1)?.headers['x-api-key'], SECRET);
  assert.match(String(body), /"x-api-key":"\[REDACTED\]"/);
  const refused = await client.callTool({
    name: 'http_request',
    arguments: { url: 'https://example.com/' },
  });
  assert.equal(refused.isError, true);
}

/** A client's memory, and a person who signs in when sent to the page. */
function person(): { provider: OAuthClientProvider; callback: Promise<URLSearchParams> } {
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
      submitLogin(url.href, 'alice', 'wonderland')
        .then((location) => resolve(new URL(location).searchParams))
        .catch(reject);
    },
  };
  return { provider: provider as unknown as OAuthClientProvider, callback };
}

/** mcp-remote prints where to sign in, for people without a browser at hand. */
function authorizationUrl(stderr: NodeJS.ReadableStream): Promise<string> {
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

interface RpcAnswer {
  readonly result: {
    readonly serverInfo: { readonly name: string };
    readonly structuredContent: { readonly status: number; readonly body: string };
  };
}

function jsonLines(stdout: NodeJS.ReadableStream): (id: number) => Promise<RpcAnswer> {
  let text = '';
  const answers = new Map<number, PromiseWithResolvers<RpcAnswer>>();
  const answer = (id: number) => {
    const known = answers.get(id) ?? Promise.withResolvers<RpcAnswer>();
    answers.set(id, known);
    return known;
  };
  stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop()!;
    for (const line of lines) {
      const message = JSON.parse(line);
      answer(message.id).resolve(message);
    }
  });
  return (id) => answer(id).promise;
}
