/** Stands between a client that cannot sign in and a server, and adds the token to what it sends. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TokenProxy {
  readonly url: string;
  close(): Promise<void>;
}

export async function startTokenProxy(port: number, token: string): Promise<TokenProxy> {
  const server = createServer((incoming, answer) => {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      method: incoming.method,
      path: incoming.url,
      headers: { ...incoming.headers, authorization: `Bearer ${token}` },
    });
    outgoing.on('response', (response) => {
      answer.writeHead(response.statusCode!, response.headers);
      // A stream that has nothing to say yet is open all the same.
      answer.flushHeaders();
      response.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
