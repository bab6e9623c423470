/**
 * CPU per no-op tool call: a bare `node:http` JSON echo, our endpoint, the official SDK.
 *
 *   node bench/mcp-endpoint.ts
 *
 * Each server runs in its own process and reports its own CPU time, so that neither the load
 * nor a busy machine counts. Rounds are interleaved and the best of each server is taken.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { createServer } from '../src/core/http/server.ts';
import { createLog } from '../src/core/log/log.ts';
import { mountMcp } from '../src/mcp/endpoint.ts';
import { Type } from '../src/mcp/schema.ts';
import { defineTool, jsonResult } from '../src/mcp/tool.ts';
import { type Call, Load } from './support/measure.ts';

const ROUNDS = 4;
const WARM_UP_CALLS = 8_000;
const CALLS = 15_000;
const CONNECTIONS = 16;

const SERVERS = { bare, ours, sdk };
type Kind = keyof typeof SERVERS;

const MODERN = {
  headers: {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'noop',
  },
  meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};
const LEGACY = { headers: { 'mcp-protocol-version': '2025-11-25' }, meta: undefined };

const kind = process.argv[2];
if (kind === undefined) await compare();
else process.send?.(await SERVERS[kind as Kind]());
process.on('message', () => process.send?.(process.cpuUsage()));

async function compare(): Promise<void> {
  for (const [name, era] of Object.entries({ modern: MODERN, legacy: LEGACY })) {
    const best: Record<Kind, number> = { bare: Infinity, ours: Infinity, sdk: Infinity };
    for (let round = 0; round < ROUNDS; round++) {
      for (const server of Object.keys(SERVERS) as Kind[]) {
        best[server] = Math.min(best[server], await microsecondsPerCall(server, era));
      }
    }
    const line = Object.entries(best).map(
      ([server, us]) => `${server} ${us.toFixed(1)} µs (${(us / best.bare).toFixed(2)} of bare)`,
    );
    console.log(`${name}: ${line.join(', ')}; sdk/ours ${(best.sdk / best.ours).toFixed(1)}`);
  }
}

async function microsecondsPerCall(server: Kind, era: typeof MODERN | typeof LEGACY) {
  const child = fork(import.meta.filename, [server]);
  const [port] = (await once(child, 'message')) as [number];
  const cpu = async () => {
    child.send('cpu');
    const [usage] = (await once(child, 'message')) as [NodeJS.CpuUsage];
    return usage.user + usage.system;
  };
  const load = new Load(`http://127.0.0.1:${port}`, noopCall(era), CONNECTIONS);
  await load.saturate(server === 'sdk' ? WARM_UP_CALLS / 4 : WARM_UP_CALLS);
  const calls = server === 'sdk' ? CALLS / 4 : CALLS;
  const before = await cpu();
  await load.saturate(calls);
  const used = (await cpu()) - before;
  await load.close();
  child.kill();
  await once(child, 'exit');
  return used / calls;
}

function noopCall({ headers, meta }: typeof MODERN | typeof LEGACY): Call {
  const params = { name: 'noop', arguments: {}, _meta: meta };
  return {
    path: '/mcp',
    headers: {
      ...headers,
      authorization: 'Bearer token',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  };
}

async function bare(): Promise<number> {
  const server = createHttpServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      });
      response.end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function ours(): Promise<number> {
  const log = createLog({ level: 'error' });
  const app = createServer({ log });
  const noop = defineTool({
    name: 'noop',
    title: 'No-op',
    description: 'Does nothing',
    inputSchema: Type.Object({}),
    annotations: {},
    call: async () => jsonResult({ ok: true }),
  });
  mountMcp(app, {
    publicUrl: 'http://127.0.0.1:2019',
    serverInfo: { name: 'bench', title: 'Bench', version: '1.0.0' },
    instructions: () => '',
    tools: [noop],
    authenticate: async (incoming) =>
      incoming.headers.authorization === 'Bearer token'
        ? { user: 'bench', incarnation: '1', clientId: 'bench' }
        : undefined,
    allowedOrigins: () => [],
    isAlive: async () => true,
    log,
  });
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
}

async function sdk(): Promise<number> {
  const handler = toNodeHandler(
    createMcpHandler(() => {
      const server = new McpServer({ name: 'bench', version: '1.0.0' });
      server.registerTool('noop', { description: 'Does nothing' }, async () => ({
        content: [{ type: 'text', text: '{"ok":true}' }],
        structuredContent: { ok: true },
      }));
      return server;
    }),
  );
  const server = createHttpServer((incoming, response) => {
    void handler(incoming as NodeIncomingMessageLike, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
