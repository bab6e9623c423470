/**
 * The servers that the gateway is measured against, each in a separate process:
 *   echo       bare `node:http`, parses a JSON body and writes it back
 *   forwarder  bare `node:http` and undici: what forwarding costs with nothing else
 *   streamer   the same for plain HTTP: streams the answer to a GET of the same path
 *   sdk        the gateway's two tools on the official MCP SDK, as its guides build such a server
 *   sdk-least  the same with nothing but the tools: no sign-in, no guards, schemas made once
 *   upstream   answers with 1 KiB of JSON, without end at `/endless`, 1 GiB at `/gib`, or an
 *              event stream that stays idle at `/events`
 */
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { Pool } from 'undici';
import { asItsGuidesSay, withTheLeast } from './sdk-peers.ts';

const KIBIBYTE = JSON.stringify({
  items: Array.from({ length: 12 }, (_, id) => record(id)),
}).padEnd(1024);
const [kind = '', argument = ''] = process.argv.slice(2);

const PEERS: Record<string, () => RequestListener> = {
  echo: () => async (request, response) => {
    sendJson(response, JSON.stringify(JSON.parse(await bodyOf(request))));
  },
  forwarder: () => {
    const pool = new Pool(argument);
    return async (request, response) => {
      const { params } = JSON.parse(await bodyOf(request));
      const { pathname } = new URL(params.arguments.url);
      const answer = await pool.request({ path: pathname, method: 'GET' });
      const body = await answer.body.text();
      sendJson(
        response,
        JSON.stringify({ status: answer.statusCode, headers: answer.headers, body }),
      );
    };
  },
  streamer: () => {
    const pool = new Pool(argument);
    return async (request, response) => {
      await pool.stream({ path: request.url!, method: 'GET' }, ({ statusCode, headers }) => {
        response.writeHead(statusCode, headers as OutgoingHttpHeaders);
        return response;
      });
    };
  },
  sdk: () => asItsGuidesSay(JSON.parse(argument)),
  'sdk-least': () => withTheLeast(JSON.parse(argument)),
  upstream: () => (request, response) => {
    if (request.url === '/endless') sendEndlessly(response);
    else if (request.url === '/gib') sendGibibyte(response);
    else if (request.url === '/events') sendOneEvent(response);
    else sendJson(response, KIBIBYTE);
  },
};

const server = createServer(PEERS[kind]!());
server.listen(0, '127.0.0.1');
await once(server, 'listening');
console.log(JSON.stringify({ event: 'startup', port: (server.address() as AddressInfo).port }));

function sendJson(response: ServerResponse, body: string): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

function sendEndlessly(response: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024, 'no secret here, only a great deal of text. ');
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

function sendGibibyte(response: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024, 'no secret here, only a great deal of text. ');
  Readable.from(repeat(chunk, 1024 ** 3 / chunk.length)).pipe(response);
}

function* repeat(chunk: Buffer, times: number): Iterable<Buffer> {
  for (let n = 0; n < times; n++) yield chunk;
}

function sendOneEvent(response: ServerResponse): void {
  response.setHeader('content-type', 'text/event-stream');
  response.write('data: first\n\n');
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function record(id: number) {
  return {
    id: `target-${id}`,
    description: 'An API',
    base_url: 'https://api.example',
    methods: ['GET'],
  };
}
