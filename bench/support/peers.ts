/**
 * The servers that the gateway is measured against, each in a process of its own:
 *   echo       bare `node:http`, parses a JSON body and writes it back
 *   forwarder  bare `node:http` and undici: what forwarding costs with nothing else
 *   sdk        the gateway's two tools on the official MCP SDK, declared as the gateway does and
 *              with its answer, but with nothing behind them: no sign-in, no limit, no log
 *   upstream   answers with 1 KiB of JSON, or without end at `/endless`
 */
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  fromJsonSchema,
  type JsonSchemaType,
  McpServer,
} from '@modelcontextprotocol/server';
import { Pool } from 'undici';

/** What the gateway itself answered to `tools/list` and `list_targets`. */
export interface ToolsOfGateway {
  readonly tools: readonly {
    readonly name: string;
    readonly inputSchema: JsonSchemaType;
    readonly outputSchema: JsonSchemaType;
  }[];
  readonly targets: Record<string, unknown>;
}

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
  sdk: () => {
    const { tools, targets } = JSON.parse(argument) as ToolsOfGateway;
    const declared = tools.map(({ name, inputSchema, outputSchema, ...rest }) => ({
      name,
      config: {
        ...rest,
        inputSchema: fromJsonSchema(inputSchema),
        outputSchema: fromJsonSchema(outputSchema),
      },
    }));
    const text = JSON.stringify(targets);
    const answer = async () => ({
      content: [{ type: 'text' as const, text }],
      structuredContent: targets,
    });
    const handler = toNodeHandler(
      createMcpHandler(() => {
        const server = new McpServer({ name: 'bench', version: '1.0.0' });
        for (const { name, config } of declared) server.registerTool(name, config, answer);
        return server;
      }),
    );
    return (request, response) => void handler(request as NodeIncomingMessageLike, response);
  },
  upstream: () => (request, response) => {
    if (request.url === '/endless') sendEndlessly(response);
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
