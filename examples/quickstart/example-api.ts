/**
 * An API such as the gateway is made for: it wants a key, and `/echo` carelessly repeats the whole
 * request in its answer, the key included.
 */
import { createServer, type Server } from 'node:http';

export function createExampleApi(key: string): Server {
  return createServer((request, response) => {
    const { method, url, headers } = request;
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(`${JSON.stringify(body)}\n`);
    };
    if (headers.authorization !== `Bearer ${key}`) answer(401, { error: 'a key is needed' });
    else if (url === '/me') answer(200, { login: 'demo', plan: 'offline' });
    else if (url?.startsWith('/echo')) answer(200, { method, url, headers });
    else answer(404, { error: 'there is /me and /echo' });
  });
}
