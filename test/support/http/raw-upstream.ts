/**
 * An upstream below HTTP: it records the very bytes of each request and answers with whatever
 * bytes it is told to, well formed or not.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** Called once a whole request (by its content length) has arrived. */
export type Script = (socket: Socket, request: RawRequest) => void;

export interface RawRequest {
  /** The first line, byte for byte. */
  readonly line: string;
  /** What is between the method and the protocol version. */
  readonly target: string;
  /** Header lines, byte for byte. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

export interface RawUpstream {
  readonly url: string;
  readonly port: number;
  readonly received: RawRequest[];
  script: Script;
  /** The number of connections ever accepted. */
  connections(): number;
  close(): Promise<void>;
}

export async function startRawUpstream(script: Script = answerOk): Promise<RawUpstream> {
  let connections = 0;
  const open = new Set<Socket>();
  const received: RawRequest[] = [];
  const server = createServer((socket) => {
    connections += 1;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => {});
    let bytes = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (;;) {
        const request = parseRequest(bytes);
        if (!request) return;
        bytes = bytes.subarray(request.length);
        received.push(request);
        upstream.script(socket, request);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const upstream: RawUpstream = {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    script,
    connections: () => connections,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return upstream;
}

/** A complete answer with its length. */
export function ok(body = 'ok', headers: readonly string[] = []): string {
  const lines = ['HTTP/1.1 200 OK', `Content-Length: ${Buffer.byteLength(body)}`, ...headers];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

export const answerOk: Script = (socket) => {
  socket.write(ok());
};

/** Resolves once the connection is gone, however it ended. */
export function closureOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
  });
}

function parseRequest(bytes: Buffer): (RawRequest & { length: number }) | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...headers] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const declared = headers.find((header) => /^content-length:/i.test(header))?.split(':')[1];
  const length = end + 4 + Number(declared ?? 0);
  if (bytes.length < length) return undefined;
  const target = line.slice(line.indexOf(' ') + 1, line.lastIndexOf(' '));
  return { line, target, headers, body: bytes.subarray(end + 4, length), length };
}
