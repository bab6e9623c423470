/** The decoys as their own server on loopback, with a clock of the test and every line kept. */

import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createLog } from '../../src/core/log/log.ts';
import { Secret } from '../../src/core/secrets/secret.ts';
import { createDecoyServer, type DecoyServerOptions, drain } from '../../src/decoys/routes.ts';

export const KEY = new Secret('decoys key', 'a key of the tests alone');
export const OTHER_KEY = new Secret('decoys key', 'another key of the tests');
export const NOW_MS = Date.UTC(2026, 10, 15, 10);

export interface Line {
  readonly event: string;
  readonly [field: string]: unknown;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** Bytes of the body as they came. */
  readonly size: number;
}

export interface TestDecoys {
  readonly url: string;
  readonly port: number;
  /** The raw lines, and the same parsed. */
  readonly written: readonly string[];
  lines(): Line[];
  /** The lines about what it holds are written when it is answered. */
  ask(target: string, options?: AskOptions): Promise<Reply>;
  /** Resolves when the lines about everything that was sent are written. */
  searched(): Promise<void>;
  close(): Promise<void>;
}

export interface AskOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export async function startDecoys(
  options: Partial<DecoyServerOptions> & { readonly clock?: { ms: number } } = {},
): Promise<TestDecoys> {
  const { clock = { ms: NOW_MS }, ...rest } = options;
  const written: string[] = [];
  const now = () => clock.ms;
  const log = createLog({
    level: 'debug',
    write: (line) => written.push(line),
    now: () => new Date(clock.ms),
  });
  const unlimited = { eventsPerSource: Number.POSITIVE_INFINITY };
  const server = createDecoyServer({ key: KEY, log, now, ...unlimited, ...rest });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    written,
    lines: () => written.map((line) => JSON.parse(line)),
    ask: async (target, askOptions) => {
      const reply = await ask(port, target, askOptions);
      await server.trap.searched();
      return reply;
    },
    searched: () => server.trap.searched(),
    close: () => drain(server, 1_000),
  };
}

/** Sends the target exactly as given, which `fetch` would tidy up. */
export function ask(
  port: number,
  target: string,
  { method = 'GET', headers = {}, body }: AskOptions = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const call = request(
      { host: '127.0.0.1', port, path: target, method, headers, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response
          .on('data', (chunk: Buffer) => {
            chunks.push(chunk);
            if (staysOpen(response)) response.destroy();
          })
          .on('close', () => {
            const { statusCode = 0, headers: answered, rawHeaders } = response;
            const bytes = Buffer.concat(chunks);
            const [body, size] = [bytes.toString(), bytes.length];
            resolve({ status: statusCode, headers: answered, rawHeaders, body, size });
          });
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}

/** The stream of an MCP server: its first event is enough. */
function staysOpen({ headers }: { headers: IncomingHttpHeaders }): boolean {
  return headers['cache-control'] === 'no-cache, no-transform';
}

/** Sends bytes that need be no request, and gives everything that comes back. */
export async function sendBytes(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.end(bytes, 'latin1');
  await once(socket, 'close');
  return answer;
}

/** The body of a JSON-RPC request. */
export function rpc(method: string, params: object = {}, id: string | number = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

export const MCP_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
