/**
 * Mounts the decoys after all routes of a server and before its 404, and searches every request for
 * honeytokens. A decoy never handles a real route; the 404 of an unmatched path is unchanged, byte
 * for byte; a decoy that fails is a 404; a honeytoken changes no response.
 */
import type { FastifyInstance } from 'fastify';
import { formatProblem } from '../core/config/problems.ts';
import { readOwnDecoys } from './definitions/own-file.ts';
import { Trap, type TrapOptions } from './trap.ts';

export interface MountOptions extends Omit<TrapOptions, 'definitions'> {
  /** The path of the operator's own decoys. */
  readonly file?: string;
}

/** Real routes may be added before or after; authentication belongs into their own hooks. */
export function mountDecoys(app: FastifyInstance, options: MountOptions): Trap {
  const { file, ...rest } = options;
  const own = file === undefined ? undefined : readOwnDecoys(file);
  const [problem] = own?.problems ?? [];
  if (problem) throw new Error(formatProblem(problem));
  const trap = new Trap({ ...rest, ...(own && { definitions: own.definitions }) });
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
  app.addHook('preClose', async () => trap.endStreams());
  app.addHook('onClose', async () => trap.close());
  return trap;
}
