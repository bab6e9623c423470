/** A real HTTP upstream on loopback that records what arrives and answers as it is told. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: string[];
  readonly body: string;
}

export type Answer = (request: Received, response: ServerResponse) => void;

export interface Upstream {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** The number of connections ever accepted. */
  readonly connections: () => number;
  /** How the next requests are answered, unless a path has its own answer. */
  answer: Answer;
  readonly routes: Map<string, Answer>;
  close(): Promise<void>;
}

export async function startUpstream(answer: Answer = echo): Promise<Upstream> {
  let connections = 0;
  const received: Received[] = [];
  const routes = new Map<string, Answer>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    const record: Received = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    received.push(record);
    const path = record.url.split('?', 1)[0]!;
    (routes.get(path) ?? upstream.answer)(record, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const upstream: Upstream = {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    connections: () => connections,
    answer,
    routes,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return upstream;
}

/** Reflects the request, credentials included, as debugging endpoints of real services do. */
export function echo(request: Received, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(request));
}
