/** A git server on loopback (git's own http-backend) that wants a token and can be told to misbehave. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cleaner } from '../programs/cleaner.ts';

export interface GitHttpServer {
  readonly url: string;
  /** The Authorization headers that arrived, one for each request. */
  readonly seen: (string | undefined)[];
  /** Called when a request arrives, while the client waits. */
  watch: () => void;
  /** What is done with a request instead of serving it. */
  behave: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
}

export async function gitHttpServer(
  context: Cleaner,
  directory: string,
  token: string,
): Promise<GitHttpServer> {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    result.watch();
    if (result.behave !== undefined) {
      result.behave(request, response);
      return;
    }
    const password = Buffer.from(request.headers.authorization?.split(' ')[1] ?? '', 'base64')
      .toString()
      .split(':')[1];
    if (password !== token) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    void serve(directory, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const result: GitHttpServer = {
    url: `http://127.0.0.1:${port}`,
    seen,
    watch: () => {},
    behave: undefined,
  };
  return result;
}

async function serve(
  directory: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path, query = ''] = request.url!.split('?');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: directory,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'test',
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
    },
  });
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  const answer = Buffer.concat(chunks);
  const end = answer.indexOf('\r\n\r\n');
  const headers = answer.toString('latin1', 0, end).split('\r\n');
  const status = headers.find((line) => /^status:/i.test(line))?.match(/\d+/)?.[0] ?? '200';
  for (const line of headers) {
    const [name, value] = line.split(/:\s*/, 2);
    if (name && value && !/^status$/i.test(name)) response.setHeader(name, value);
  }
  response.writeHead(Number(status)).end(answer.subarray(end + 4));
}
