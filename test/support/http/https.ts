/** A client of a proxy: over TLS, each request on a separate connection, its path as it is given. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';

export interface SendOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly localAddress?: string;
}

/** The path is sent as it is given. */
export function begin(url: string, path: string, { body, ...options }: SendOptions = {}) {
  const { hostname, port } = new URL(url);
  const outgoing = request({ hostname, port, path, family: 4, agent: false, ...options });
  outgoing.on('error', () => {});
  return outgoing.end(body);
}

/** The response as soon as its headers are there. */
export async function open(url: string, path: string, options?: SendOptions) {
  const outgoing = begin(url, path, options);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { outgoing, incoming };
}

export async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
