/**
 * Refuses what Node would refuse by itself, with an empty body or none: a request without `Host`
 * (RFC 9112, section 3.2), an `Expect` that nobody knows, `CONNECT`.
 *
 * Refused here, each is answered in the shape of every other mistake, and told to whoever looks
 * into every request before it is.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { refusalBytes, refusalText } from './client-errors.ts';

const NO_HOST = 'the Host header is missing; send one';
const UNKNOWN_EXPECTATION = 'the only Expect that is met is 100-continue; leave it out';
const NO_PROXY = 'this server is no proxy; send the request to its destination';

/** The server must have been told not to require a `Host`. */
export function ownRefusals(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!lacksHost(request.raw)) {
      done();
      return;
    }
    app.onUnhooked(request.raw);
    reply.code(400).header('connection', 'close').type('application/json');
    reply.send(refusalText(400, NO_HOST));
  });
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    app.onUnhooked(request);
    const body = refusalText(417, UNKNOWN_EXPECTATION);
    response.writeHead(417, { 'content-type': 'application/json' }).end(body);
  });
  app.server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // Node has let go of the connection, and with it of its errors and its timeouts.
    socket.on('error', () => socket.destroy());
    app.onUnhooked(request);
    socket.write(refusalBytes(400, NO_PROXY));
    socket.destroySoon();
  });
}

function lacksHost({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersion === '1.1';
}
