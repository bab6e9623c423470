/** Real clients, written by others, against the endpoint: what a user's program would do. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import {
  Client as Client2,
  StreamableHTTPClientTransport as Transport2,
} from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as AnyTransport1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type Harness, startHarness } from './harness.ts';
import { rpc, send } from './wire.ts';

interface Connection {
  readonly client: Client1 | Client2;
  readonly version: string | undefined;
  readonly sessionId: string | undefined;
  /** Resolves once the server can speak to the client unasked. */
  readonly listening: Promise<unknown>;
  /** Resolves with the names of the tools when the client is told that they changed. */
  readonly toolsChanged: Promise<readonly string[]>;
  end(): Promise<void>;
}

const INFO = { name: 'test', version: '1.0.0' };

let harness: Harness;
before(async () => {
  harness = await startHarness();
});
after(() => harness.close());

for (const [name, connect, version] of [
  ['client 2.x choosing for itself', () => connect2('auto'), '2026-07-28'],
  ['client 2.x in legacy mode', () => connect2('legacy'), '2025-11-25'],
  ['sdk 1.x', connect1, '2025-11-25'],
] as const) {
  test(`${name} connects, lists and calls`, async () => {
    const { client, version: spoken, end } = await connect();
    assert.equal(spoken, version);
    assert.equal(client.getInstructions(), 'hello alice');
    assert.equal(client.getServerVersion()?.name, 'harness');
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map((tool) => tool.name),
      ['echo', 'refuse', 'explode', 'whoami', 'wait'],
    );
    const result = await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
    assert.deepEqual(result.structuredContent, { text: 'hello' });
    await end();
  });

  test(`${name} sees a refusal as a result, not as a failure`, async () => {
    const { client, end } = await connect();
    await client.listTools();
    const refused = await client.callTool({ name: 'refuse', arguments: {} });
    assert.equal(refused.isError, true);
    assert.match(JSON.stringify(refused.content), /no_target/);
    const invalid = await client.callTool({ name: 'echo', arguments: { text: 1 } });
    assert.equal(invalid.isError, true);
    assert.match(JSON.stringify(invalid.content), /`text` must be a string/);
    await assert.rejects(client.callTool({ name: 'nope', arguments: {} }), /unknown tool/);
    await end();
  });

  test(`${name} hears of progress`, async () => {
    const { client, end } = await connect();
    const heard: unknown[] = [];
    let firstHeard = () => {};
    const first = new Promise<void>((resolve) => {
      firstHeard = resolve;
    });
    const result = callWaiting(client, {
      onprogress: (progress) => {
        heard.push([progress.progress, progress.total]);
        firstHeard();
      },
    });
    const call = await harness.waiting();
    call.context.progress(1, 2);
    await first;
    call.context.progress(2, 2);
    call.finish();
    assert.deepEqual((await result).structuredContent, { waited: true });
    assert.deepEqual(heard, [
      [1, 2],
      [2, 2],
    ]);
    await end();
  });

  test(`${name} cancels a call`, async () => {
    const { client, end } = await connect();
    const controller = new AbortController();
    const result = callWaiting(client, { signal: controller.signal });
    const call = await harness.waiting();
    controller.abort();
    await assert.rejects(result);
    await call.aborted;
    assert.deepEqual((await client.callTool({ name: 'whoami', arguments: {} })).structuredContent, {
      user: 'alice',
    });
    await end();
  });

  test(`${name} is told that the tools changed`, async () => {
    const { listening, toolsChanged, end } = await connect();
    await listening;
    harness.endpoint.toolsChanged('alice');
    assert.equal((await toolsChanged).length, 5);
    await end();
  });

  test(`${name} ends its session`, async () => {
    const { sessionId, version: spoken, end } = await connect();
    assert.equal(sessionId === undefined, spoken === '2026-07-28');
    await end();
    if (sessionId === undefined) return;
    const headers = { 'mcp-session-id': sessionId };
    const { status } = await send(harness.url, rpc('ping'), { headers });
    assert.equal(status, 404);
  });
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number; total?: number | undefined }) => void;
}

function callWaiting(client: Client1 | Client2, options: CallOptions) {
  const params = { name: 'wait', arguments: {} };
  return client instanceof Client2
    ? client.callTool(params, options)
    : client.callTool(params, undefined, options);
}

async function connect2(mode: 'auto' | 'legacy'): Promise<Connection> {
  const { fetch, listening } = watchedFetch();
  const { listChanged, toolsChanged } = heardChange();
  const client = new Client2(INFO, { versionNegotiation: { mode }, listChanged });
  const transport = new Transport2(new URL(harness.url), {
    requestInit: { headers: { authorization: 'Bearer alice-token' } },
    fetch,
  });
  await client.connect(transport);
  return {
    client,
    version: client.getNegotiatedProtocolVersion(),
    sessionId: transport.sessionId,
    listening,
    toolsChanged,
    end: async () => {
      await transport.terminateSession();
      await client.close();
    },
  };
}

async function connect1(): Promise<Connection> {
  const { fetch, listening } = watchedFetch();
  const { listChanged, toolsChanged } = heardChange();
  const client = new Client1(INFO, { listChanged });
  const transport = new Transport1(new URL(harness.url), {
    requestInit: { headers: { authorization: 'Bearer alice-token' } },
    fetch,
  });
  await client.connect(transport as AnyTransport1);
  return {
    client,
    version: transport.protocolVersion,
    sessionId: transport.sessionId,
    listening,
    toolsChanged,
    end: async () => {
      await transport.terminateSession();
      await client.close();
    },
  };
}

/** Notices the answer to the request that opens a stream for what the server says unasked. */
function watchedFetch() {
  const opened = new EventTarget();
  const listening = once(opened, 'open');
  return {
    listening,
    fetch: async (url: string | URL, init?: RequestInit) => {
      const response = await globalThis.fetch(url, init);
      const isListen =
        init?.method === 'GET' || String(init?.body).includes('subscriptions/listen');
      if (isListen) opened.dispatchEvent(new Event('open'));
      return response;
    },
  };
}

function heardChange() {
  let hear = (_names: readonly string[]) => {};
  const toolsChanged = new Promise<readonly string[]>((resolve) => {
    hear = resolve;
  });
  const onChanged = (_error: Error | null, tools: readonly { name: string }[] | null) =>
    hear(tools?.map((tool) => tool.name) ?? []);
  return { toolsChanged, listChanged: { tools: { onChanged } } };
}
