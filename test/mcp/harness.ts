/** A server with the endpoint, a fake bearer check and a few tools, for black-box tests. */
import { once } from 'node:events';
import type { Caller } from '../../src/core/http/caller.ts';
import { createServer } from '../../src/core/http/server.ts';
import type { Log } from '../../src/core/log/log.ts';
import type { SharedStore } from '../../src/core/store/shared-store.ts';
import { type McpEndpoint, mountMcp } from '../../src/mcp/endpoint.ts';
import type { McpOptions } from '../../src/mcp/options.ts';
import { Type } from '../../src/mcp/schema.ts';
import { defineTool, errorResult, jsonResult, type ToolContext } from '../../src/mcp/tool.ts';
import { startInProcess } from '../support/replicas/in-process.ts';
import { areReplicas } from '../support/replicas/mode.ts';

export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  always: () => true,
};

export interface Harness {
  readonly endpoint: McpEndpoint;
  readonly url: string;
  /** The running call of the tool `wait`; it ends when the test says so. */
  readonly waiting: () => Promise<WaitingCall>;
  readonly errors: readonly string[];
  /** What was logged at every level, whichever is set. */
  readonly requestLines: readonly object[];
  /** Of every replica, as if their clients had gone. */
  closeAllConnections(): void;
  close(): Promise<void>;
}

export interface WaitingCall {
  readonly context: ToolContext;
  finish(): void;
  /** Aborted when the call is cancelled. */
  readonly signal: AbortSignal;
  readonly aborted: Promise<unknown>;
}

const USERS = new Map([
  ['alice-token', 'alice'],
  ['alice-refreshed', 'alice'],
  ['bob-token', 'bob'],
]);

export async function startHarness(overrides: Partial<McpOptions<Caller>> = {}): Promise<Harness> {
  const errors: string[] = [];
  const requestLines: object[] = [];
  const log: Log = {
    ...silentLog,
    error: (event) => errors.push(event),
    always: (level, event, fields) => requestLines.push({ level, event, ...fields }) > 0,
  };
  const arrivals: WaitingCall[] = [];
  let wake = () => {};

  const wait = defineTool({
    name: 'wait',
    title: 'Wait',
    description: 'Runs until it is told to end',
    inputSchema: Type.Object({}),
    annotations: { readOnlyHint: true },
    call: (_args, context: ToolContext) =>
      new Promise((resolve) => {
        const cancelling = new AbortController();
        context.onCancelled(() => cancelling.abort());
        arrivals.push({
          context,
          finish: () => resolve(jsonResult({ waited: true })),
          signal: cancelling.signal,
          aborted: once(cancelling.signal, 'abort'),
        });
        wake();
      }),
  });

  const inProcess = areReplicas
    ? await startInProcess(overrides.now ? { now: overrides.now } : {})
    : undefined;
  const start = async (shared: SharedStore | undefined) => {
    const app = createServer({ log });
    const endpoint = mountMcp(app, {
      publicUrl: 'http://127.0.0.1:2019',
      serverInfo: { name: 'harness', title: 'Harness', version: '1.2.3' },
      instructions: (caller) => `hello ${caller.user}`,
      tools: [echo, refuse, explode, whoami, wait],
      authenticate: async (request, reply) => {
        const user = USERS.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
        if (user !== undefined) return { user, incarnation: '1', clientId: 'client' };
        reply
          .code(401)
          .header('www-authenticate', 'Bearer resource_metadata="https://example.com/x"')
          .send({ error: 'unauthorized' });
        return undefined;
      },
      onForbidden: ({ method, clientAddress: ip }, error) => {
        const line = { user: null, client_id: null, target: null, status: 403 };
        const url = 'http://127.0.0.1:2019/mcp';
        log.always('warn', 'request', { ...line, method, url, error, ip });
      },
      allowedOrigins: () => ['https://claude.ai'],
      isAlive: async () => true,
      log,
      shared,
      ...overrides,
    });
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    return { app, endpoint, address };
  };
  const replicas = await Promise.all((inProcess?.stores ?? [undefined]).map(start));
  const [first] = replicas;
  await inProcess?.balance(replicas.map(({ address }) => Number(new URL(address).port)));
  return {
    endpoint: {
      toolsChanged: (user) => {
        for (const { endpoint } of replicas) endpoint.toolsChanged(user);
      },
      endUser: (user) => {
        for (const { endpoint } of replicas) endpoint.endUser(user);
      },
    },
    url: `${inProcess ? `http://127.0.0.1:${inProcess.port}` : first!.address}/mcp`,
    errors,
    requestLines,
    waiting: async () => {
      while (arrivals.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return arrivals.shift()!;
    },
    closeAllConnections: () => {
      for (const { app } of replicas) app.server.closeAllConnections();
    },
    close: async () => {
      await Promise.all(replicas.map(({ app }) => app.close()));
      await inProcess?.close();
    },
  };
}

const echo = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Gives back what it was given',
  inputSchema: Type.Object({ text: Type.String() }),
  outputSchema: Type.Object({ text: Type.String() }),
  annotations: { readOnlyHint: true },
  call: async ({ text }) => jsonResult({ text }),
});

const refuse = defineTool({
  name: 'refuse',
  title: 'Refuse',
  description: 'Always refuses',
  inputSchema: Type.Object({}),
  outputSchema: Type.Object({ never: Type.String() }),
  annotations: {},
  call: async () => errorResult({ error: 'no_target', message: 'no', status: 403 }),
});

const explode = defineTool({
  name: 'explode',
  title: 'Explode',
  description: 'Fails in a way nobody foresaw',
  inputSchema: Type.Object({}),
  annotations: {},
  call: async () => {
    throw new Error('a detail that must not be seen');
  },
});

const whoami = defineTool({
  name: 'whoami',
  title: 'Who am I',
  description: 'Names the caller',
  inputSchema: Type.Object({}),
  annotations: { readOnlyHint: true },
  call: async (_args, context) => jsonResult({ user: context.caller.user }),
});
