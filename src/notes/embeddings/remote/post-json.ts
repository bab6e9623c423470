/** One POST of JSON: no redirect is followed, and the time and size of the answer are bounded. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { nearbyLookup } from './endpoint-url.ts';

// An import of `node:http` reads all its properties, one of which loads the undici inside Node: 13 MB.
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');

export interface Posted {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
}

/** Connections are kept between batches, and never keep the server alive. */
const AGENTS = {
  http: new http.Agent({ keepAlive: true, maxSockets: 2, timeout: 60_000 }),
  https: new https.Agent({ keepAlive: true, maxSockets: 2, timeout: 60_000 }),
};

export async function postJson(url: URL, value: object, options: PostOptions): Promise<Posted> {
  const { headers, signal, maxBytes } = options;
  const body = Buffer.from(JSON.stringify(value));
  const shared = {
    method: 'POST',
    signal,
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': String(body.length),
      accept: 'application/json',
      'user-agent': 'gatehouse',
    },
  };
  const request =
    url.protocol === 'https:'
      ? https.request(url, { ...shared, agent: AGENTS.https })
      : http.request(url, { ...shared, agent: AGENTS.http, lookup: nearbyLookup });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      response.destroy();
      throw new Error(`the answer is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return {
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    body: Buffer.concat(chunks),
  };
}
