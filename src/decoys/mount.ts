/**
 * Mounts the decoys after all routes of a server and before its 404, and searches every request for
 * honeytokens. A decoy never handles a real route; the 404 of an unmatched path is unchanged, byte
 * for byte; a decoy that fails is a 404; a honeytoken changes no response.
 */
import type { FastifyInstance } from 'fastify';
import { Trap, type TrapOptions } from './trap.ts';

/** Real routes may be added before or after; authentication belongs into their own hooks. */
export function mountDecoys(app: FastifyInstance, options: TrapOptions): void {
  const trap = new Trap(options);
  app.addHook('onRequest', (request, reply, done) => {
    trap.lookAt(request.raw);
    if (!request.is404) return done();
    trap.answer({
      request: request.raw,
      response: reply.raw,
      claim: () => reply.hijack(),
      notFound: done,
    });
  });
  app.onRequestOutsideHooks = (request) => trap.lookAt(request);
  app.onBodyRead = (body, request) => trap.lookInto(body, request);
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body) trap.lookInto(request.body, request.raw);
    done();
  });
  app.addHook('onClose', async () => trap.close());
}
