/** Stands between a client and a server and keeps every byte that the server answers. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface RecordingProxy {
  readonly url: string;
  /** The answers so far, each connection by itself. */
  answers(): Buffer[];
  close(): Promise<void>;
}

export async function startRecordingProxy(port: number): Promise<RecordingProxy> {
  const answers: Buffer[][] = [];
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    const answer: Buffer[] = [];
    answers.push(answer);
    upstream.on('data', (chunk) => answer.push(chunk));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers: () => answers.map((chunks) => Buffer.concat(chunks)),
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
