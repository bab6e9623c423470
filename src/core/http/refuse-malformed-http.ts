/**
 * Refuses requests that Node would refuse itself with an empty body or none (no `Host`, an unknown
 * `Expect`, `CONNECT`), so that they get the usual error format, and pass through
 * `onRequestOutsideHooks`. Prevents request smuggling by two `Host` headers (RFC 9112, section 3.2), of
 * which Node takes the first and a proxy may take the last.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { refusalBytes, refusalText } from './client-errors.ts';

const NO_HOST = 'the Host header is missing; send one';
const TWO_HOSTS = 'the Host header is given twice; send one';
const UNKNOWN_EXPECTATION = 'the only Expect that is met is 100-continue; leave it out';
const NO_PROXY = 'this server is no proxy; send the request to its destination';

/** Requires a server with `requireHostHeader: false`. */
export function refuseMalformedHttp(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const problem = hostProblem(request.raw);
    if (problem === undefined) {
      done();
      return;
    }
    app.onRequestOutsideHooks(request.raw);
    reply.code(400).header('connection', 'close').type('application/json');
    reply.send(refusalText(400, problem));
  });
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    app.onRequestOutsideHooks(request);
    const body = refusalText(417, UNKNOWN_EXPECTATION);
    response.writeHead(417, { 'content-type': 'application/json' }).end(body);
  });
  app.server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // Node does not handle errors and timeouts of this connection any more.
    socket.on('error', () => socket.destroy());
    app.onRequestOutsideHooks(request);
    socket.write(refusalBytes(400, NO_PROXY));
    socket.destroySoon();
  });
}

function hostProblem({ rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return TWO_HOSTS;
  return hosts === 0 && httpVersion === '1.1' ? NO_HOST : undefined;
}
